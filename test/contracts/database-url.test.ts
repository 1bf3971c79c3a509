import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import { connectionParameters } from "../../adapters-infra/postgres/connection-parameters.ts";
import { DatabaseUrlInvalid } from "../../adapters-infra/postgres/connection-string.ts";
import { completeDatabaseUrl, readDatabaseUrl } from "../../adapters-infra/postgres/database-url.ts";
import { readConfig } from "../../hosts/composition/config.ts";

const read = (text: string, env = {}) => readDatabaseUrl(completeDatabaseUrl(text, env));
const refusal = (text: string, env = {}): string | null => {
  try {
    read(text, env);
    return null;
  } catch (error) {
    if (error instanceof DatabaseUrlInvalid) return error.message;
    throw error;
  }
};
/** The address in short: user:password@host:port,…/database. */
const seen = (text: string, env = {}) => {
  const { user, password, servers, database } = read(text, env);
  return `${user}:${password}@${servers.map(({ host, port }) => `${host}:${port}`).join(",")}/${database}`;
};

describe("a connection string", () => {
  it.each([
    ["postgres://u:p@h/d", "u:p@h:5432/d"],
    ["postgresql://u:p@h:6000/d?application_name=x", "u:p@h:6000/d"],
    ["postgres://u:p@[::1]:6000/d", "u:p@::1:6000/d"],
    ["postgres://u:p@%2Frun%2Fpg:6000/d", "u:p@/run/pg:6000/d"],
    ["postgres://u:p@localhost:6000/d?host=/run/pg", "u:p@/run/pg:6000/d"],
    ["postgres:///d?host=/cloudsql/a:b:c&user=u&password=p", "u:p@/cloudsql/a:b:c:5432/d"],
    ["postgres://u:p@a:1,b,[::3]:3/d", "u:p@a:1,b:5432,::3:3/d"],
    ["postgres://u:p@a,b/d?port=7", "u:p@a:7,b:7/d"],
    ["postgres://u:p@h/d?hostaddr=10.0.0.1", "u:p@10.0.0.1:5432/d"],
    ["postgres://u%40azure:p%40%2F%3A%25@h/d%20e", "u@azure:p@/:%@h:5432/d e"],
    ["postgres://u:S3cret#pw9?x=y:z@h/d", "u:S3cret#pw9?x=y:z@h:5432/d"],
    ["host=h port=6000 user=u password=p dbname=d", "u:p@h:6000/d"],
    ["  host = h user=u password='it\\'s \\\\ p' dbname = d ", "u:it's \\ p@h:5432/d"],
    ["host=h user=u password=a\\ b", "u:a b@h:5432/u"],
    ['"postgres://u:p@h/d"', "u:p@h:5432/d"],
    ["'postgres://u:p@h/d' \n", "u:p@h:5432/d"],
    ["postgres://u:p@h/d \t", "u:p@h:5432/d"],
  ])("%s is read as libpq reads it", (text, expected) => {
    expect(seen(text)).toBe(expected);
  });

  it("is completed by libpq's variables, which it overrides", () => {
    const env = { PGHOST: "/run/pg", PGPORT: "6000", PGUSER: "u", PGPASSWORD: "p", PGDATABASE: "d" };
    expect(seen("postgres://", env)).toBe("u:p@/run/pg:6000/d");
    expect(seen("postgres://x:y@z:1/w", env)).toBe("x:y@z:1/w");
    expect(seen("postgres://", { ...env, PGUSER: "", PGDATABASE: "" })).toMatch(
      /^(.+):p@\/run\/pg:6000\/\1$/,
    );
    expect(refusal("postgres://h/d", { PGCHANNELBINDING: "require" })).toContain("PGCHANNELBINDING");
    expect(refusal("postgres://h/d?channel_binding=prefer", { PGCHANNELBINDING: "require" })).toBeNull();
  });

  it("takes a password from a password file that is its user's alone", () => {
    const folder = mkdtempSync(join(tmpdir(), "pgpass-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const file = join(folder, "pgpass");
    writeFileSync(file, "# ours\nh:1:*:u:other\nh:5432:d:u:a\\:b\\\\c\n*:*:*:*:last\n", { mode: 0o600 });
    expect(seen("postgres://u@h/d", { PGPASSFILE: file })).toBe("u:a:b\\c@h:5432/d");
    expect(seen(`postgres://u@h/e?passfile=${file}`)).toBe("u:last@h:5432/e");
    expect(seen("postgres://u:p@h/d", { PGPASSFILE: file })).toBe("u:p@h:5432/d");
    chmodSync(file, 0o640);
    expect(seen("postgres://u@h/d", { PGPASSFILE: file })).toBe("u:@h:5432/d");
  });

  it("leaves libpq's variables to itself: the embedded server has nothing to do with them", () => {
    const env = { PGHOST: "elsewhere", PGSSLMODE: "nonsense", PGTARGETSESSIONATTRS: "any" };
    expect(readConfig(env).databaseUrl).toBeNull();
  });

  it("means the same once it is completed", () => {
    const text = fc.string({ minLength: 1, unit: "grapheme" }).filter((value) => !value.includes("\0"));
    fc.assert(
      fc.property(text, text, text, fc.integer({ min: 1, max: 65_535 }), (user, password, database, port) => {
        const [u, p, d] = [user, password, database].map(encodeURIComponent);
        const address = read(`postgres://${u}:${p}@h:${port}/${d}?application_name=${d}`);
        expect(address).toMatchObject({ user, password, database, applicationName: database });
        const quoted = (value: string) => `'${value.replace(/[\\']/g, "\\$&")}'`;
        const pairs = `host=h port=${port} user=${quoted(user)} password=${quoted(password)} dbname=${quoted(database)} application_name=${quoted(database)}`;
        expect(read(pairs)).toEqual(address);
      }),
    );
  });
});

describe("an unreadable connection string", () => {
  const secret = "hunter2hunter2";
  it.each([
    `mysql://u:${secret}@h/d`,
    secret,
    `postgres://u:${secret}%zz@h/d`,
    `postgres://u:%${secret}@h/d`,
    `postgres://u:a@${secret}@h/d`,
    `postgres://u:a@b/${secret}@h/d`,
    `postgres://u:a/${secret}@h/d`,
    `postgres://u:${secret}/x@h/d`,
    `postgres://u:1/${secret}?x=y@h/d`,
    `postgres://u:1/x?${secret}@h/d`,
    `postgres://u:1/x?${secret}=@h/d`,
    `postgres://u:p@[${secret}/d`,
    `host=h password=my ${secret}`,
    `host=h password=my ${secret}=x`,
    `host=h password='${secret}`,
    `host=h password='a'${secret}`,
    `postgres://u:${secret}@h:99999/d`,
    `postgres://u:${secret}@h/d?sslmode=${secret}`,
    `postgres://u:${secret}@h/d?channel_binding=require`,
  ])("%s is an error of the setting, without a piece of the password", (DATABASE_URL) => {
    expect(() => readConfig({ DATABASE_URL })).toThrow(/^DATABASE_URL [\s\S]+\.$/);
    expect(refusal(DATABASE_URL)).not.toContain("hunter");
  });

  it("of any form is an error of the setting, never another", () => {
    const piece = fc.constantFrom(
      "postgres://",
      "u",
      ":",
      "@",
      "/",
      "?",
      "=",
      "&",
      "%",
      "%2F",
      "[",
      "]",
      ",",
      "'",
      '"',
      "\\",
      " ",
      "host",
      "sslmode",
      "#",
      "1",
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 16 }), (pieces) => {
        refusal(pieces.join(""));
      }),
    );
  });
});

describe("a parameter of libpq", () => {
  /** PostgreSQL 17, "Parameter Key Words". */
  const ofLibpq =
    "application_name channel_binding client_encoding connect_timeout dbname fallback_application_name gssdelegation gssencmode gsslib host hostaddr keepalives keepalives_count keepalives_idle keepalives_interval krbsrvname load_balance_hosts options passfile password port replication require_auth requirepeer service ssl_max_protocol_version ssl_min_protocol_version sslcert sslcertmode sslcompression sslcrl sslcrldir sslkey sslmode sslnegotiation sslpassword sslrootcert sslsni target_session_attrs tcp_user_timeout user";
  const works: Readonly<Record<string, readonly string[]>> = {
    sslmode: ["disable", "allow", "prefer", "require"],
    channel_binding: ["disable", "prefer"],
    gssencmode: ["disable", "prefer"],
    target_session_attrs: ["any", "read-write", "read-only", "primary", "standby", "prefer-standby"],
    load_balance_hosts: ["disable", "random"],
    sslnegotiation: ["postgres"],
    sslcertmode: ["disable", "allow"],
    sslcompression: ["0"],
    sslsni: ["0", "1"],
    ssl_min_protocol_version: ["TLSv1.2"],
    ssl_max_protocol_version: ["TLSv1.3"],
    client_encoding: ["UTF8", "auto"],
    replication: ["false"],
    gssdelegation: ["0"],
    tcp_user_timeout: ["0"],
    connect_timeout: ["0", "5"],
    keepalives: ["0", "1"],
    keepalives_idle: ["30"],
    port: ["6000"],
    ...Object.fromEntries(
      "application_name dbname fallback_application_name host hostaddr options passfile password sslpassword user"
        .split(" ")
        .map((name) => [name, ["x"]]),
    ),
  };

  it("is in the table, as each other one of PostgreSQL 17", () => {
    expect(Object.keys(connectionParameters).sort()).toEqual(ofLibpq.split(" "));
  });

  it.each(ofLibpq.split(" "))("%s works, or is refused by its name", (name) => {
    for (const value of works[name] ?? []) expect(refusal(`postgres://h/d?${name}=${value}`)).toBeNull();
    const takesAnyText = works[name]?.includes("x") === true || /^ssl(cert|key)$/.test(name);
    if (!takesAnyText) expect(refusal(`postgres://h/d?${name}=nonsense`)).toContain(name);
  });

  it.each([
    ["sslmode=verify-full", "sslmode=verify-full without root certificates"],
    ["sslrootcert=system&sslmode=require", "sslrootcert=system, which needs sslmode=verify-full"],
    ["sslrootcert=/nowhere.crt", "sslrootcert with a file that does not exist"],
    ["sslnegotiation=direct", "sslnegotiation=direct, which needs"],
    ["schema=public", "the parameter schema, which only other clients know"],
    ["pgbouncer=true", "the parameter pgbouncer, which only other clients know"],
    ["channel_binding=require", "channel_binding"],
  ])("%s is refused with what to do", (query, expected) => {
    expect(refusal(`postgres://h/d?${query}`)).toContain(expected);
  });

  it("decides how long a connection may take, and when TCP asks for the other end", () => {
    expect(read("postgres://h/d")).toMatchObject({ connectTimeoutSec: 10, keepAliveSec: 60 });
    expect(read("postgres://h/d?connect_timeout=0&keepalives=0")).toMatchObject({
      connectTimeoutSec: 0,
      keepAliveSec: 0,
    });
    expect(read("postgres://h/d?connect_timeout=3&keepalives_idle=30")).toMatchObject({
      connectTimeoutSec: 3,
      keepAliveSec: 30,
    });
    expect(read("postgres://h/d?ssl=true").tls.mode).toBe("require");
    expect(read("postgres://h/d?sslrootcert=system").tls.mode).toBe("verify-full");
  });
});
