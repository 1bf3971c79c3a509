/** A connection string is not understood. The message completes "DATABASE_URL …" and has no part of the string's values. */
export class DatabaseUrlInvalid extends Error {}

/** The parameters of a connection string by name, as they were written. */
export type GivenParameters = ReadonlyMap<string, string>;

const encodingAdvice =
  "In a user name or password, these characters must be percent-encoded: % as %25, @ as %40, / as %2F, : as %3A, ? as %3F";

/**
 * Splits a connection string as libpq does: a URI, or `name=value` pairs. Blanks and quotes around the whole string are
 * ignored, because files of environment variables (`docker --env-file`) keep them.
 */
export const parseConnectionString = (text: string): GivenParameters => {
  const given = withoutQuotes(text.trim());
  const uri = /^postgres(?:ql)?:\/\/([\s\S]*)$/.exec(given)?.[1];
  if (uri !== undefined) return parametersOfUri(uri);
  if (/^[A-Za-z][\w+.-]*:/.test(given) || !given.includes("="))
    throw new DatabaseUrlInvalid(
      "must begin with postgres:// or postgresql://, or consist of pairs such as host=db.example.org dbname=boardroom",
    );
  return parametersOfPairs(given);
};

const withoutQuotes = (text: string): string => /^(["'])([\s\S]*)\1$/.exec(text)?.[2]?.trim() ?? text;

const parametersOfUri = (uri: string): GivenParameters => {
  const parameters = new Map<string, string>();
  const set = (name: string, value: string | undefined) => {
    if (value !== undefined && value !== "") parameters.set(name, decoded(value));
  };
  const credentials = /^([^@/:]*)(?::([^@/]*))?@/.exec(uri);
  set("user", credentials?.[1]);
  set("password", credentials?.[2]);
  const address = uri.slice(credentials?.[0].length ?? 0);
  const [, servers = "", , database = "", query] =
    /^([^/?]*)(\/([^?]*))?(?:\?([\s\S]*))?$/.exec(address) ?? [];
  // libpq would look for a host or a database of that name: more likely a password has the character.
  if (servers.includes("@") || database.includes("@"))
    throw new DatabaseUrlInvalid(`has an unexpected @. ${encodingAdvice}`);
  setServers(servers, set);
  set("dbname", database);
  for (const pair of query === undefined || query === "" ? [] : query.split("&")) {
    const [, name, value] = /^([^=]*)=([^=]*)$/.exec(pair) ?? [];
    if (name === undefined)
      throw new DatabaseUrlInvalid("has a query that does not consist of name=value pairs, separated by &");
    // JDBC's, which libpq reads too.
    if (name === "ssl" && value === "true") set("sslmode", "require");
    else set(decoded(name), value);
  }
  return parameters;
};

const setServers = (servers: string, set: (name: string, value: string) => void): void => {
  const all = servers.split(",").map((server) => {
    const [, literal, name, port = ""] = /^(?:\[([^\]]+)\]|([^:[\]]*))(?::([^:]*))?$/.exec(server) ?? [];
    const host = literal ?? name;
    if (host === undefined)
      throw new DatabaseUrlInvalid(
        `has an address that is not host:port. IPv6 addresses are written in brackets. ${encodingAdvice}`,
      );
    return { host, port };
  });
  if (all.some(({ host }) => host !== "")) set("host", all.map(({ host }) => host).join(","));
  if (all.some(({ port }) => port !== "")) set("port", all.map(({ port }) => port).join(","));
};

const decoded = (text: string): string => {
  try {
    const value = decodeURIComponent(text);
    if (!value.includes("\0")) return value;
  } catch {
    // Below.
  }
  throw new DatabaseUrlInvalid(
    `has a % that does not begin the percent-encoding of a character. ${encodingAdvice}`,
  );
};

const pair =
  /\s*([^\s=]+)\s*=\s*(?:'((?:[^'\\]|\\[\s\S])*)'|((?:[^\s'\\]|\\[\s\S])(?:[^\s\\]|\\[\s\S])*)?)(?=\s|$)/y;

const parametersOfPairs = (text: string): GivenParameters => {
  const parameters = new Map<string, string>();
  pair.lastIndex = 0;
  while (text.slice(pair.lastIndex).trim() !== "") {
    const found = pair.exec(text);
    if (found === null)
      throw new DatabaseUrlInvalid(
        "does not consist of name=value pairs. Write a value with blanks in single quotes, and a quote or backslash in it with a backslash before it",
      );
    const value = (found[2] ?? found[3] ?? "").replace(/\\([\s\S])/g, "$1");
    if (value !== "") parameters.set(found[1]!, value);
  }
  return parameters;
};
