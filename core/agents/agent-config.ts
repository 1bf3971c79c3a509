import * as Result from "effect/Result";
import { refusal } from "../shared/failure.ts";
import type { AgentId } from "../shared/ids.ts";

/** What a revision of an agent's configuration keeps, and what a rollback brings back. */
export interface AgentConfig {
  readonly name: string;
  readonly role: string;
  readonly title: string | null;
  readonly reportsTo: AgentId | null;
  readonly capabilities: string | null;
  readonly adapterType: string;
  readonly adapterConfig: AdapterConfig;
  readonly runtimeConfig: RuntimeConfig;
  readonly budgetMonthlyCents: number;
  readonly metadata: Readonly<Record<string, unknown>> | null;
}

export type AdapterConfig = Readonly<Record<string, unknown>>;

export interface RuntimeConfig {
  readonly heartbeat?: HeartbeatPolicy;
}

export interface HeartbeatPolicy {
  /** Timer heartbeats. */
  readonly enabled?: boolean;
  readonly intervalSec?: number;
  /** Whether anything but the timer may wake the agent. Default true. */
  readonly wakeOnDemand?: boolean;
  readonly maxConcurrentRuns?: number;
}

export const defaultMaxConcurrentRuns = 20;

/** Shown in place of a value nobody may read back. */
export const mask = "••••";

export class MaskWithoutValue extends refusal(
  "mask_without_value",
  "unprocessable",
  "A masked value was sent for a variable that has no stored value.",
) {}

const asRecord = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {};

const isMask = (value: unknown): boolean =>
  value === mask || (asRecord(value)["type"] === "plain" && asRecord(value)["value"] === mask);

/**
 * A patch of an adapterConfig: per key, `null` deletes. `env` is one key, replaced as a whole; a variable whose value
 * is the mask keeps what is stored, so that what was shown can be sent back.
 */
export const mergeAdapterConfig = (
  stored: AdapterConfig,
  patch: Readonly<Record<string, unknown>>,
): Result.Result<AdapterConfig, MaskWithoutValue> => {
  const merged: Record<string, unknown> = { ...stored };
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete merged[key];
    else if (key !== "env") merged[key] = value;
    else {
      const before = asRecord(stored["env"]);
      const env: Record<string, unknown> = {};
      for (const [name, binding] of Object.entries(asRecord(value))) {
        if (binding === null) continue;
        if (isMask(binding) && !Object.hasOwn(before, name))
          return Result.fail(new MaskWithoutValue({ path: ["adapterConfig", "env", name] }));
        env[name] = isMask(binding) ? before[name] : binding;
      }
      merged["env"] = env;
    }
  }
  return Result.succeed(merged);
};

/** An adapterConfig as anybody may see it: no plain value of a variable, references as they are. */
export const maskAdapterConfig = (config: AdapterConfig): AdapterConfig => {
  if (!Object.hasOwn(config, "env")) return config;
  const env = Object.fromEntries(
    Object.entries(asRecord(config["env"])).map(([name, binding]) => [
      name,
      typeof binding === "string"
        ? mask
        : asRecord(binding)["type"] === "plain"
          ? { type: "plain", value: mask }
          : binding,
    ]),
  );
  return { ...config, env };
};

export const configKeys = [
  "name",
  "role",
  "title",
  "reportsTo",
  "capabilities",
  "adapterType",
  "adapterConfig",
  "runtimeConfig",
  "budgetMonthlyCents",
  "metadata",
] as const satisfies readonly (keyof AgentConfig)[];

export const configOf = (agent: AgentConfig): AgentConfig => ({
  name: agent.name,
  role: agent.role,
  title: agent.title,
  reportsTo: agent.reportsTo,
  capabilities: agent.capabilities,
  adapterType: agent.adapterType,
  adapterConfig: agent.adapterConfig,
  runtimeConfig: agent.runtimeConfig,
  budgetMonthlyCents: agent.budgetMonthlyCents,
  metadata: agent.metadata,
});

const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, v) =>
    typeof v === "object" && v !== null && !Array.isArray(v)
      ? Object.fromEntries(Object.entries(v).sort(([a], [b]) => (a < b ? -1 : 1)))
      : v,
  );

export const changedKeys = (before: AgentConfig, after: AgentConfig): readonly (keyof AgentConfig)[] =>
  configKeys.filter((key) => canonical(before[key]) !== canonical(after[key]));
