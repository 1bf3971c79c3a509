import * as Result from "effect/Result";
import type { PermissionRule } from "../issues/interactions/permission-rule.ts";
import { refusal } from "../shared/failure.ts";
import type { AgentId } from "../shared/ids.ts";
import { sameJson } from "../shared/same-json.ts";

/** The part of an agent that a revision stores and a rollback restores. */
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
  /** The runner of its programs. Omitted: the company's, otherwise the service's default. */
  readonly runner?: string;
  /** The cost limit of one run; a run that reaches it is stopped. Omitted: no limit. */
  readonly maxCostCents?: number;
  /** Requests of its programs that are allowed without a question. */
  readonly alwaysAllow?: readonly PermissionRule[];
}

export interface HeartbeatPolicy {
  /** Timer heartbeats. */
  readonly enabled?: boolean;
  /** At least `leastIntervalSec`. */
  readonly intervalSec?: number;
  /** The timer starts no run while the agent has no issue to continue. Default: false. */
  readonly onlyWithWork?: boolean;
  /** Whether causes other than the timer may wake the agent. Default true. */
  readonly wakeOnDemand?: boolean;
  readonly maxConcurrentRuns?: number;
}

/** Whether issues, comments and people start no run of the agent. */
export const isWokenByTimerOnly = ({ heartbeat }: RuntimeConfig): boolean =>
  heartbeat?.wakeOnDemand === false;

/** The shortest interval of a timer: its runs are never quarantined as a loop. */
export const leastIntervalSec = 30;

export const defaultMaxConcurrentRuns = 20;

/** Sent instead of a value, it leaves the stored one unchanged: earlier versions displayed values like this. */
export const mask = "••••";

export class MaskWithoutValue extends refusal(
  "mask_without_value",
  "unprocessable",
  "This variable has no stored value to keep. Send the value instead of the mask.",
) {}

const asRecord = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {};

const isMask = (value: unknown): boolean =>
  value === mask || (asRecord(value).type === "plain" && asRecord(value).value === mask);

/**
 * Patches an adapterConfig: objects are merged deeply, `null` deletes, other values are replaced. Each variable of `env` is
 * replaced as a whole; one that is sent back masked is left unchanged.
 */
export const mergeAdapterConfig = (
  stored: AdapterConfig,
  patch: Readonly<Record<string, unknown>>,
): Result.Result<AdapterConfig, MaskWithoutValue> =>
  Result.map(
    fillMasks(stored, patch),
    (given) => mergeObjects(stored, given, (path) => path[0] === "env") as AdapterConfig,
  );

/** Patches a runtimeConfig: merges deeply; `null` deletes. */
export const mergeRuntimeConfig = (stored: RuntimeConfig, patch: RuntimeConfigPatch): RuntimeConfig =>
  mergeObjects(stored as Readonly<Record<string, unknown>>, patch as Readonly<Record<string, unknown>>);

export type RuntimeConfigPatch = {
  readonly heartbeat?:
    | { readonly [Field in keyof HeartbeatPolicy]?: HeartbeatPolicy[Field] | null | undefined }
    | null
    | undefined;
  readonly runner?: string | null | undefined;
  readonly maxCostCents?: number | null | undefined;
  readonly alwaysAllow?: readonly PermissionRule[] | null | undefined;
};

/** Another configuration with the permissions of the present one. */
export const withPermissionsOf = ({ alwaysAllow }: RuntimeConfig, config: RuntimeConfig): RuntimeConfig => ({
  ...withoutPermissions(config),
  ...(alwaysAllow === undefined ? {} : { alwaysAllow }),
});

/** The part that a template has: permissions are given by people of a company, to an agent of theirs. */
export const withoutPermissions = ({
  alwaysAllow,
  ...rest
}: RuntimeConfig): Omit<RuntimeConfig, "alwaysAllow"> => rest;

/** The name of the runner of an agent's programs. */
export const runnerOf = (
  agent: { readonly runtimeConfig: RuntimeConfig; readonly companyRunner: string | null },
  fallback: string,
): string => agent.runtimeConfig.runner ?? agent.companyRunner ?? fallback;

/** Returns a configuration with the stored values in place of their masks. */
export const fillMasks = <Config extends Readonly<Record<string, unknown>>>(
  stored: AdapterConfig,
  given: Config,
): Result.Result<Config, MaskWithoutValue> => {
  if (!isObject(given.env)) return Result.succeed(given);
  const values = asRecord(stored.env);
  const env = Object.entries(asRecord(given.env));
  const unknown = env.find(([name, binding]) => isMask(binding) && !Object.hasOwn(values, name));
  if (unknown !== undefined)
    return Result.fail(new MaskWithoutValue({ path: ["adapterConfig", "env", unknown[0]] }));
  const filled = env.map(([name, binding]) => [name, isMask(binding) ? values[name] : binding] as const);
  return Result.succeed({ ...given, env: Object.fromEntries(filled) });
};

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const mergeObjects = (
  stored: Readonly<Record<string, unknown>>,
  patch: Readonly<Record<string, unknown>>,
  isWhole: (path: readonly string[]) => boolean = () => false,
  path: readonly string[] = [],
): Readonly<Record<string, unknown>> => {
  // Maps, because a key may be any string, also `__proto__`.
  const merged = new Map(Object.entries(stored));
  for (const [key, value] of Object.entries(patch)) {
    if (value === undefined) continue;
    const before = Object.hasOwn(stored, key) ? stored[key] : undefined;
    if (value === null) merged.delete(key);
    else if (isObject(value) && !isWhole(path))
      merged.set(key, mergeObjects(isObject(before) ? before : {}, value, isWhole, [...path, key]));
    else merged.set(key, value);
  }
  return Object.fromEntries(merged);
};

/** The names of the variables that a configuration sets. */
export const variablesOf = ({ env }: AdapterConfig): readonly string[] =>
  Object.entries(asRecord(env)).flatMap(([name, binding]) => (binding === null ? [] : [name]));

/** The names of the variables that are sent back masked. */
export const maskedVariables = ({ env }: AdapterConfig): readonly string[] =>
  Object.entries(asRecord(env)).flatMap(([name, binding]) => (isMask(binding) ? [name] : []));

/** The variables whose value is stored in the configuration itself, not as a reference to a secret. */
export const plainVariables = ({ env }: AdapterConfig): readonly (readonly [name: string, value: string])[] =>
  Object.entries(asRecord(env)).flatMap(([name, binding]) => {
    const value = typeof binding === "string" ? binding : asRecord(binding).value;
    return typeof value === "string" ? [[name, value] as const] : [];
  });

/** The keys of the agent's desired skills. The adapter refuses unknown ones. */
export const desiredSkillsOf = ({ desiredSkills }: AdapterConfig): readonly string[] =>
  Array.isArray(desiredSkills) ? desiredSkills.filter((key) => typeof key === "string") : [];

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

export const changedKeys = (before: AgentConfig, after: AgentConfig): readonly (keyof AgentConfig)[] =>
  configKeys.filter((key) => !sameJson(before[key], after[key]));
