import { accessSync, constants, existsSync, readFileSync, statSync } from "node:fs";
import { homedir, userInfo } from "node:os";
import { join } from "node:path";
import {
  checkEnvironment,
  checkParameters,
  parametersOfEnvironment,
  type sessionKinds,
  type sslModes,
} from "./connection-parameters.ts";
import { DatabaseUrlInvalid, type GivenParameters, parseConnectionString } from "./connection-string.ts";

/** The database of a connection string, its servers, and how to connect. */
export interface DatabaseAddress {
  /** In the order in which they are tried. */
  readonly servers: readonly DatabaseServer[];
  /** Tries them in a random order. */
  readonly isBalanced: boolean;
  readonly sessions: (typeof sessionKinds)[number];
  readonly user: string;
  readonly password: string;
  readonly database: string;
  readonly applicationName: string | null;
  /** Settings for the server, as on its command line. */
  readonly options: string | null;
  /** For each server; 0: no limit. */
  readonly connectTimeoutSec: number;
  /** How long a connection is idle before TCP asks whether its other end is there; 0: never. */
  readonly keepAliveSec: number;
  readonly tls: DatabaseTls;
}

export interface DatabaseServer {
  /** The name that a certificate must have; null: only an address is known. */
  readonly name: string | null;
  /** A name, an address, or the folder of a socket. */
  readonly host: string;
  readonly port: number;
}

export interface DatabaseTls {
  readonly mode: (typeof sslModes)[number];
  /** Begins with TLS instead of asking for it. */
  readonly isDirect: boolean;
  /** A file; "system": those that the machine trusts; null: the server's certificate is not checked. */
  readonly rootCertificates: string | null;
  readonly certificate: string | null;
  readonly key: string | null;
  readonly keyPassword: string | null;
  readonly revoked: string | null;
  readonly sendsName: boolean;
  readonly minVersion: string | null;
  readonly maxVersion: string | null;
}

export const isSocket = ({ host }: DatabaseServer): boolean => host.startsWith("/");

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads a connection string as libpq does, and returns one that needs neither the environment nor the home folder: all
 * other code reads that one. Throws DatabaseUrlInvalid.
 */
export const completeDatabaseUrl = (text: string, env: Environment): string => {
  const given = parseConnectionString(text);
  const ambient = parametersOfEnvironment(env);
  checkEnvironment(new Map([...ambient].filter(([name]) => !given.has(name))));
  const parameters = new Map([...filesOfHome(), ...ambient, ...given]);
  const address = addressOf(parameters);
  checkFiles(address.tls);
  const password =
    given.get("password") ?? ambient.get("password") ?? passwordOf(address, parameters.get("passfile"));
  if (password !== undefined) parameters.set("password", password);
  parameters.delete("passfile");
  const query = [...parameters].map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join("&");
  return `postgresql:///?${query}`;
};

/** Reads a connection string without the environment. Throws DatabaseUrlInvalid. */
export const readDatabaseUrl = (url: string): DatabaseAddress => addressOf(parseConnectionString(url));

const addressOf = (given: GivenParameters): DatabaseAddress => {
  checkParameters(given);
  const user = given.get("user") ?? userInfo().username;
  return {
    servers: serversOf(given),
    isBalanced: given.get("load_balance_hosts") === "random",
    sessions: (given.get("target_session_attrs") ?? "any") as DatabaseAddress["sessions"],
    user,
    password: given.get("password") ?? "",
    database: given.get("dbname") ?? user,
    applicationName: given.get("application_name") ?? given.get("fallback_application_name") ?? null,
    options: given.get("options") ?? null,
    connectTimeoutSec: Math.max(0, Number(given.get("connect_timeout") ?? 10)),
    keepAliveSec:
      Number(given.get("keepalives") ?? 1) === 0
        ? 0
        : Math.max(0, Number(given.get("keepalives_idle") ?? 0)) || 60,
    tls: tlsOf(given),
  };
};

const listOf = (given: GivenParameters, name: string): readonly string[] => given.get(name)?.split(",") ?? [];

const serversOf = (given: GivenParameters): readonly DatabaseServer[] => {
  const names = listOf(given, "host");
  const addresses = listOf(given, "hostaddr");
  const ports = listOf(given, "port");
  const count = Math.max(names.length, addresses.length, 1);
  if (names.length > 0 && addresses.length > 0 && names.length !== addresses.length)
    throw new DatabaseUrlInvalid("has another number of values in hostaddr than in host");
  if (ports.length > 1 && ports.length !== count)
    throw new DatabaseUrlInvalid("has another number of ports than of hosts");
  return Array.from({ length: count }, (_, at) => {
    const port = portOf(ports[ports.length === 1 ? 0 : at]?.trim() ?? "");
    const name = names[at] === "" ? null : (names[at] ?? null);
    if (name?.startsWith("@"))
      throw new DatabaseUrlInvalid("has a host that begins with @: abstract sockets are not supported");
    const host = (addresses[at] === "" ? null : addresses[at]) ?? name ?? defaultHost(port);
    return { name, host, port };
  });
};

const portOf = (text: string): number => {
  const port = text === "" ? 5432 : Number(text);
  if (/^\d*$/.test(text) && port >= 1 && port <= 65_535) return port;
  throw new DatabaseUrlInvalid(
    "has a port that is not a number from 1 to 65535. In a password, : must be written as %3A and / as %2F",
  );
};

/** libpq's is the folder that its package was built with: Debian's, or PostgreSQL's own. */
const defaultHost = (port: number): string =>
  ["/var/run/postgresql", "/tmp"].find((folder) => existsSync(`${folder}/.s.PGSQL.${port}`)) ?? "localhost";

const tlsOf = (given: GivenParameters): DatabaseTls => {
  const rootCertificates = given.get("sslrootcert") ?? null;
  const mode = (given.get("sslmode") ??
    (rootCertificates === "system" ? "verify-full" : "prefer")) as DatabaseTls["mode"];
  const isDirect = given.get("sslnegotiation") === "direct";
  if (rootCertificates === "system" && mode !== "verify-full")
    throw new DatabaseUrlInvalid("has sslrootcert=system, which needs sslmode=verify-full");
  if (isDirect && ["disable", "allow", "prefer"].includes(mode))
    throw new DatabaseUrlInvalid(
      "has sslnegotiation=direct, which needs sslmode=require, verify-ca or verify-full",
    );
  if (mode.startsWith("verify-") && rootCertificates === null)
    throw new DatabaseUrlInvalid(
      `has sslmode=${mode} without root certificates. Set sslrootcert to a file with them, or to system for those that the machine trusts`,
    );
  const sendsCertificate = given.get("sslcertmode") !== "disable";
  return {
    mode,
    isDirect,
    rootCertificates,
    certificate: sendsCertificate ? (given.get("sslcert") ?? null) : null,
    key: sendsCertificate ? (given.get("sslkey") ?? null) : null,
    keyPassword: given.get("sslpassword") ?? null,
    revoked: given.get("sslcrl") ?? null,
    sendsName: given.get("sslsni") !== "0",
    minVersion: given.get("ssl_min_protocol_version") ?? null,
    maxVersion: given.get("ssl_max_protocol_version") ?? null,
  };
};

/** The files that libpq uses where they exist. */
const filesOfHome = (): GivenParameters =>
  new Map(
    [
      ["sslrootcert", "root.crt"],
      ["sslcrl", "root.crl"],
      ["sslcert", "postgresql.crt"],
      ["sslkey", "postgresql.key"],
    ].flatMap(([name, file]) => {
      const path = join(homedir(), ".postgresql", file!);
      return existsSync(path) ? [[name!, path] as const] : [];
    }),
  );

/** From a password file, which libpq reads only where it is its user's alone; that of the first server. */
const passwordOf = (
  { servers, database, user }: DatabaseAddress,
  path = join(homedir(), ".pgpass"),
): string | undefined => {
  const file = statSync(path, { throwIfNoEntry: false });
  if (file?.isFile() !== true || (file.mode & 0o077) !== 0 || !isReadable(path)) return undefined;
  const [{ host, port }] = servers as [DatabaseServer];
  const asked = [host.startsWith("/") ? "localhost" : host, `${port}`, database, user];
  const entries = readFileSync(path, "utf8")
    .split(/\r?\n/)
    .filter((line) => !line.startsWith("#"))
    .map((line) => [...line.matchAll(/((?:[^:\\]|\\.)*)(?::|$)/g)].map(([, field = ""]) => field));
  const unescaped = (field: string) => field.replace(/\\(.)/g, "$1");
  return entries
    .find(
      (fields) =>
        asked.every((value, at) => fields[at] === "*" || unescaped(fields[at] ?? "") === value) &&
        fields.length > 4,
    )
    ?.slice(4, 5)
    .map(unescaped)[0];
};

/** A file that is missing is an error of the setting, not of the database. */
const checkFiles = (tls: DatabaseTls): void => {
  if (tls.mode === "disable") return;
  const files = {
    sslrootcert: tls.rootCertificates === "system" ? null : tls.rootCertificates,
    sslcert: tls.certificate,
    sslkey: tls.key,
    sslcrl: tls.revoked,
  };
  for (const [name, path] of Object.entries(files)) {
    if (path !== null && !isReadable(path))
      throw new DatabaseUrlInvalid(`has ${name} with a file that does not exist or is not readable`);
  }
  if ((tls.certificate === null) !== (tls.key === null))
    throw new DatabaseUrlInvalid("has only one of sslcert and sslkey, which belong together");
};

const isReadable = (path: string): boolean => {
  try {
    accessSync(path, constants.R_OK);
    return true;
  } catch {
    return false;
  }
};
