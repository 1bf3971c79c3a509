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
  "A masked value was sent for a variable that has no stored value. Send the value itself.",
) {}

const asRecord = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {};

const isMask = (value: unknown): boolean =>
  value === mask || (asRecord(value).type === "plain" && asRecord(value).value === mask);

/**
 * A patch of an adapterConfig: per key, `null` deletes. `env` is one key, replaced as a whole; a variable whose value
 * is the mask keeps what is stored, so that what was shown can be sent back.
 */
export const mergeAdapterConfig = (
  stored: AdapterConfig,
  patch: Readonly<Record<string, unknown>>,
): Result.Result<AdapterConfig, MaskWithoutValue> => {
  // Maps, because any word may be a key, `__proto__` too.
  const merged = new Map(Object.entries(stored));
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) merged.delete(key);
    else if (key !== "env") merged.set(key, value);
    else {
      const env = mergeEnv(asRecord(stored.env), asRecord(value));
      if (Result.isFailure(env)) return Result.fail(env.failure);
      merged.set("env", env.success);
    }
  }
  return Result.succeed(Object.fromEntries(merged));
};

const mergeEnv = (stored: Readonly<Record<string, unknown>>, patch: Readonly<Record<string, unknown>>) => {
  const env = new Map<string, unknown>();
  for (const [name, binding] of Object.entries(patch)) {
    if (binding === null) continue;
    if (isMask(binding) && !Object.hasOwn(stored, name))
      return Result.fail(new MaskWithoutValue({ path: ["adapterConfig", "env", name] }));
    env.set(name, isMask(binding) ? stored[name] : binding);
  }
  return Result.succeed(Object.fromEntries(env));
};

const sensitive =
  /key|token|secret|passw|passphrase|credential|cookie|jwt|auth|bearer|dsn|connection_?string/i;

/** Whether the name of a variable says that its value is nobody's business. */
export const looksSensitive = (name: string): boolean => sensitive.test(name);

/**
 * What of an adapterConfig seems to be a secret that was written into it as it is, and so is stored in clear: variables,
 * and headers that are not filled from a variable. Can be told from a masked one, too.
 */
export const inlineSecretsOf = (config: AdapterConfig): readonly string[] => [
  ...Object.entries(asRecord(config.env))
    .filter(([name, binding]) => looksSensitive(name) && asRecord(binding).type !== "secret_ref")
    .map(([name]) => `env.${name}`),
  ...Object.entries(asRecord(config.headers))
    .filter(([name, text]) => looksSensitive(name) && typeof text === "string" && !text.includes("{{env."))
    .map(([name]) => `headers.${name}`),
];

/** An adapterConfig as anybody may see it: of the variables only references to secrets, which hold no value. */
export const maskAdapterConfig = (config: AdapterConfig): AdapterConfig => {
  if (!Object.hasOwn(config, "env")) return config;
  const env = Object.entries(asRecord(config.env)).map(([name, binding]) => [name, maskBinding(binding)]);
  return { ...config, env: Object.fromEntries(env) };
};

const maskBinding = (binding: unknown): unknown => {
  switch (asRecord(binding).type) {
    case "secret_ref":
      return binding;
    case "plain":
      return { type: "plain", value: mask };
    default:
      return mask;
  }
};

/** The variables that have their value in the configuration itself; a reference to a secret has none there. */
export const plainVariables = ({ env }: AdapterConfig): readonly (readonly [name: string, value: string])[] =>
  Object.entries(asRecord(env)).flatMap(([name, binding]) => {
    const value = typeof binding === "string" ? binding : asRecord(binding).value;
    return typeof value === "string" ? [[name, value] as const] : [];
  });

/** Keys of the skills an agent is to have. What is none of them is the adapter's to refuse. */
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

const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, v) =>
    typeof v === "object" && v !== null && !Array.isArray(v)
      ? Object.fromEntries(Object.entries(v).sort(([a], [b]) => (a < b ? -1 : 1)))
      : v,
  );

export const changedKeys = (before: AgentConfig, after: AgentConfig): readonly (keyof AgentConfig)[] =>
  configKeys.filter((key) => canonical(before[key]) !== canonical(after[key]));
