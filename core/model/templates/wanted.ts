import type { DeclaredTemplate } from "./company-template.ts";
import { secretsNamed } from "./template-config.ts";

/** The things that a declaration needs and the service or the company lacks. */
export interface Wanted {
  /** Types of adapters that are not loaded. Nothing is applied without them. */
  readonly adapters: readonly string[];
  /** Names of runners. Nothing is applied without them. */
  readonly runners: readonly string[];
  /** Keys of secrets. Their variables are omitted until a later declaration finds the secrets. */
  readonly secrets: readonly string[];
  /** Keys of skills. Agents get them as soon as they are available. */
  readonly skills: readonly string[];
}

/** Tells what the service and the company have. */
export interface Supplies {
  readonly hasAdapter: (type: string) => boolean;
  readonly hasRunner: (name: string) => boolean;
  readonly hasSecret: (key: string) => boolean;
  readonly hasSkill: (key: string) => boolean;
}

export const wantedBy = (declared: DeclaredTemplate, supplies: Supplies): Wanted => {
  const agents = declared.agents ?? [];
  const missing = (names: readonly (string | null | undefined)[], has: (name: string) => boolean) =>
    [...new Set(names)].filter((name): name is string => typeof name === "string" && !has(name)).sort();
  return {
    adapters: missing(
      agents.map(({ adapterType }) => adapterType),
      supplies.hasAdapter,
    ),
    runners: missing(
      [declared.company?.runner, ...agents.map(({ runtimeConfig }) => runtimeConfig?.runner)],
      supplies.hasRunner,
    ),
    secrets: missing(
      agents.flatMap(({ adapterConfig }) => secretsNamed(adapterConfig ?? {})),
      supplies.hasSecret,
    ),
    skills: missing(
      agents.flatMap(({ skills }) => skills ?? []),
      supplies.hasSkill,
    ),
  };
};
