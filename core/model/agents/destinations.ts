import type { AdapterConfig } from "./agent-config.ts";

/** Texts that a model reads: no program sends anything to an address in them by itself. */
const isProse = (field: string): boolean => /^instructions|prompt/i.test(field);

/** Variables and options whose value is a host or an address, with or without a scheme. */
const namesAddress = (field: string): boolean =>
  /(?:^|[_-])(?:URL|URI|BASE|ENDPOINT|HOST|PROXY|ADDR|ADDRESS|SERVER)$/i.test(field);

const addresses = /\b[a-z][a-z0-9+.-]{0,40}:\/\/[^\s"'<>\\]+/gi;

const destinationOf = (address: string): string => {
  const text = /^[a-z][a-z0-9+.-]*:\/\//i.test(address) ? address : `host://${address}`;
  if (!URL.canParse(text)) return address;
  const { protocol, host } = new URL(text);
  return `${protocol}//${host}`;
};

const isReference = (bound: unknown): boolean =>
  (bound as { readonly type?: unknown } | null)?.type === "secret_ref";

/** Of an argument `--host=x`, or `x` after `--host`, the value and the name of the option. */
const argumentOf = (argument: unknown, before: unknown, field: string): readonly [unknown, string] => {
  if (typeof argument !== "string") return [argument, field];
  const [, option, value] = /^--?([\w-]+)=(.*)$/s.exec(argument) ?? [];
  if (option !== undefined) return [value, option];
  const [, last] = typeof before === "string" ? (/^--?([\w-]+)$/.exec(before) ?? []) : [];
  return [argument, last !== undefined && !argument.startsWith("-") ? last : field];
};

/** The hosts that an agent's settings name, in texts or variables. */
const destinationsOf = (value: unknown, field: string): readonly string[] => {
  if (typeof value === "string") {
    if (isProse(field)) return [];
    const named = value.match(addresses) ?? [];
    return (named.length === 0 && namesAddress(field) && value.trim() !== "" ? [value.trim()] : named).map(
      destinationOf,
    );
  }
  if (Array.isArray(value))
    return value.flatMap((each, n) => destinationsOf(...argumentOf(each, value[n - 1], field)));
  if (typeof value !== "object" || value === null) return [];
  if (isReference(value))
    return namesAddress(field) ? [`secret:${(value as { readonly secretId?: unknown }).secretId}`] : [];
  // The value of a variable is `{ type, value }`: its name says what it is.
  return Object.entries(value).flatMap(([name, each]) =>
    destinationsOf(each, name === "value" ? field : name),
  );
};

type Settings = Readonly<Record<string, unknown>>;

/** The variables that lead a program to a host other than the one that it knows by itself. */
const leadingVariables = ({ env }: Settings): readonly string[] =>
  Object.entries((env ?? {}) as Settings).flatMap(([name, value]) =>
    namesAddress(name) && destinationsOf(value, name).length > 0 ? [name] : [],
  );

/**
 * The variables (or headers) whose stored secret a change would send to a host that the settings did not name before, or, where
 * an address is removed, to the one that the program knows by itself. A variable with an address may itself be a secret: a
 * different secret counts as a different host.
 */
export const secretsSentElsewhere = (before: Settings, after: Settings, at = "env"): readonly string[] => {
  const known = new Set(destinationsOf(before, ""));
  const stay = new Set(leadingVariables(after));
  if (
    destinationsOf(after, "").every((each) => known.has(each)) &&
    leadingVariables(before).every((each) => stay.has(each))
  )
    return [];
  return Object.entries((after[at] ?? {}) as Settings).flatMap(([name, bound]) =>
    isReference(bound) ? [name] : [],
  );
};

/**
 * The patch from one configuration to the other, which names each secret again that another host could get: for what shows
 * its author both the address and the names of the secrets.
 */
export const nameSecretsAgain = (patch: AdapterConfig, before: AdapterConfig, after: AdapterConfig) => {
  const again = secretsSentElsewhere(before, after);
  if (again.length === 0) return patch;
  const env = after.env as Settings;
  return {
    ...patch,
    env: { ...Object.fromEntries(again.map((name) => [name, env[name]])), ...(patch.env as Settings) },
  };
};
