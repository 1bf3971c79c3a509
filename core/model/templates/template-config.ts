import type { AdapterConfig } from "../agents/agent-config.ts";
import { resemblesSecret } from "../agents/inline-secrets.ts";
import { keyOf } from "../secrets/secret.ts";
import { sameJson } from "../shared/same-json.ts";

type Settings = Readonly<Record<string, unknown>>;

/** The settings of an agent's adapter as a template has them. */
export interface TemplateConfig {
  readonly instructions: string | null;
  readonly skills: readonly string[];
  readonly adapterConfig: Settings;
  /** The paths of the adapter's settings that were omitted because they may be plaintext secrets. */
  readonly omitted: readonly string[];
}

const isObject = (value: unknown): value is Settings =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((item) => typeof item === "string");

/**
 * Describes the settings of an adapter. A variable whose value may be a secret refers to a secret instead, and other such
 * settings are omitted: a template contains no secret values.
 */
export const describeConfig = (
  config: AdapterConfig,
  keyOfSecret: (secretId: string) => string | null,
): TemplateConfig => {
  const { instructions, desiredSkills, env, ...others } = config;
  const omitted: string[] = [];
  const remaining: Record<string, unknown> = {
    ...(typeof instructions === "string" || instructions === undefined ? {} : { instructions }),
    ...(isTexts(desiredSkills) || desiredSkills === undefined ? {} : { desiredSkills }),
    ...others,
  };
  const variables = Object.entries(isObject(env) ? env : {}).flatMap(([name, bound]): [string, unknown][] => {
    const described = describeVariable(name, bound, keyOfSecret);
    if (described === null) omitted.push(`env.${name}`);
    return described === null ? [] : [[name, described]];
  });
  const settings = withoutSecrets(remaining, "", omitted) as Settings;
  return {
    instructions: typeof instructions === "string" ? instructions : null,
    skills: isTexts(desiredSkills) ? desiredSkills : [],
    adapterConfig: variables.length === 0 ? settings : { ...settings, env: Object.fromEntries(variables) },
    omitted,
  };
};

const describeVariable = (
  name: string,
  bound: unknown,
  keyOfSecret: (secretId: string) => string | null,
): string | { readonly secret: string } | null => {
  const value = isObject(bound) ? bound.value : bound;
  if (typeof value === "string")
    return resemblesSecret(name, value) ? { secret: keyOf(name) || "secret" } : value;
  const key = isObject(bound) && typeof bound.secretId === "string" ? keyOfSecret(bound.secretId) : null;
  return key === null ? null : { secret: key };
};

/** Omits every text that may be a secret, at any depth; a list with such a text is omitted as a whole. */
const withoutSecrets = (value: unknown, path: string, omitted: string[]): unknown => {
  if (!isObject(value)) return value;
  const remaining: [string, unknown][] = [];
  for (const [name, each] of Object.entries(value)) {
    const at = path === "" ? name : `${path}.${name}`;
    if (mayBeSecret(name, each)) omitted.push(at);
    else remaining.push([name, withoutSecrets(each, at, omitted)]);
  }
  return Object.fromEntries(remaining);
};

const mayBeSecret = (name: string, value: unknown): boolean => {
  if (typeof value === "string") return resemblesSecret(name, value) && !value.includes("{{env.");
  return Array.isArray(value) && mayHoldSecret(value);
};

const mayHoldSecret = (value: unknown): boolean => {
  if (typeof value === "string") return resemblesSecret("", value);
  if (Array.isArray(value)) return value.some(mayHoldSecret);
  return (
    isObject(value) &&
    Object.entries(value).some(([name, each]) => mayBeSecret(name, each) || mayHoldSecret(each))
  );
};

/** The keys of the secrets that the variables of a template's settings name. */
export const secretsNamed = ({ env }: Settings): readonly string[] =>
  Object.values(isObject(env) ? env : {}).flatMap((bound) =>
    isObject(bound) && typeof bound.secret === "string" ? [bound.secret] : [],
  );

/** Returns the settings without the variables whose secrets do not exist yet. What the agent already has stays. */
export const withKnownSecrets = (
  config: Settings,
  present: Settings,
  isKnown: (key: string) => boolean,
): Settings => {
  if (!isObject(config.env)) return config;
  const before = isObject(present.env) ? present.env : {};
  const remaining = Object.entries(config.env).filter(
    ([name, bound]) =>
      !(isObject(bound) && typeof bound.secret === "string") ||
      isKnown(bound.secret) ||
      sameJson(before[name], bound),
  );
  const { env: _, ...others } = config;
  return remaining.length === 0 ? others : { ...others, env: Object.fromEntries(remaining) };
};

/** Returns the settings with references in place of the names of secrets, as agents store them. */
export const resolvedConfig = (config: Settings, secretIdOf: (key: string) => string): Settings => {
  if (!isObject(config.env)) return config;
  const env = Object.entries(config.env).map(([name, bound]): [string, unknown] => [
    name,
    isObject(bound) && typeof bound.secret === "string"
      ? { type: "secret_ref", secretId: secretIdOf(bound.secret), version: "latest" }
      : bound,
  ]);
  return { ...config, env: Object.fromEntries(env) };
};

/** Returns the settings without keys that are null: they mean that there is no such setting. */
export const withoutNulls = (config: Settings): Settings =>
  Object.fromEntries(
    Object.entries(config).flatMap(([name, value]): [string, unknown][] =>
      value === null || value === undefined ? [] : [[name, isObject(value) ? withoutNulls(value) : value]],
    ),
  );

/** The patch that makes one value of the other; `null` deletes. */
export const patchOf = (before: Settings, after: Settings): Settings => ({
  ...differences({ ...before, env: undefined }, { ...after, env: undefined }),
  ...ifAny("env", differencesOfVariables(before.env, after.env)),
});

const ifAny = (name: string, changes: Settings): Settings =>
  Object.keys(changes).length === 0 ? {} : { [name]: changes };

/** Each variable is replaced as a whole; those that a template never shows stay. */
const differencesOfVariables = (before: unknown, after: unknown): Settings =>
  differences(isObject(before) ? before : {}, isObject(after) ? after : {}, true);

const differences = (before: Settings, after: Settings, isWhole = false): Settings => {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  const changes = [...names].flatMap((name): [string, unknown][] => {
    const [from, to] = [before[name], after[name]];
    if (to === undefined) return from === undefined ? [] : [[name, null]];
    if (sameJson(from, to)) return [];
    return [[name, !isWhole && isObject(from) && isObject(to) ? differences(from, to) : to]];
  });
  return Object.fromEntries(changes);
};
