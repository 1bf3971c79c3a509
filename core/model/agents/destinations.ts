import type { AdapterConfig } from "./agent-config.ts";

/** Texts that a model reads: no program sends anything to an address in them by itself. */
const isProse = (field: string): boolean => /^instructions|prompt/i.test(field);

/** Variables whose value is a host or an address, with or without a scheme. */
const namesAddress = (field: string): boolean =>
  /(?:^|_)(?:URL|URI|BASE|ENDPOINT|HOST|PROXY|ADDR|ADDRESS|SERVER)$/i.test(field);

const addresses = /\b[a-z][a-z0-9+.-]*:\/\/[^\s"'<>\\]+/gi;

const destinationOf = (address: string): string => {
  const text = /^[a-z][a-z0-9+.-]*:\/\//i.test(address) ? address : `host://${address}`;
  if (!URL.canParse(text)) return address;
  const { protocol, host } = new URL(text);
  return `${protocol}//${host}`;
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
  if (Array.isArray(value)) return value.flatMap((each) => destinationsOf(each, field));
  if (typeof value !== "object" || value === null) return [];
  // The value of a variable is `{ type, value }`: its name says what it is.
  return Object.entries(value).flatMap(([name, each]) =>
    destinationsOf(each, name === "value" ? field : name),
  );
};

const variablesOf = ({ env }: AdapterConfig): readonly (readonly [string, unknown])[] =>
  Object.entries((env ?? {}) as Readonly<Record<string, unknown>>);

const isReference = (bound: unknown): boolean =>
  (bound as { readonly type?: unknown } | null)?.type === "secret_ref";

/**
 * The variables whose stored secret a change would send to a host that the settings did not name before. A variable with an
 * address may itself be a secret: a different secret counts as a different host.
 */
export const secretsSentElsewhere = (before: AdapterConfig, after: AdapterConfig): readonly string[] => {
  const known = new Set(destinationsOf(before, ""));
  if (destinationsOf(after, "").every((each) => known.has(each))) return [];
  const had = new Map(variablesOf(before));
  return variablesOf(after).flatMap(([name, bound]) =>
    isReference(bound) && isReference(had.get(name)) ? [name] : [],
  );
};
