import * as Effect from "effect/Effect";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openDatabase } from "../../adapters-infra/postgres/connection.ts";
import { connectionsOf } from "../../adapters-infra/postgres/connections.ts";
import { completeDatabaseUrl } from "../../adapters-infra/postgres/database-url.ts";
import { unboundedConnection } from "../../adapters-infra/postgres/unbounded-connection.ts";
import { type PostgresServer, startPostgres } from "../support/postgres-server.ts";

let server: PostgresServer;
let folder: string;
const password = "pä:ss@w%rd";

beforeAll(async () => {
  // "openssl" is needed for its certificates.
  server = await startPostgres({
    tls: true,
    hba: [
      "local   all either                 scram-sha-256",
      "host    all either    127.0.0.1/32 scram-sha-256",
      "hostssl all client    127.0.0.1/32 cert",
      "hostnossl all plain   127.0.0.1/32 scram-sha-256",
      "hostssl all encrypted 127.0.0.1/32 scram-sha-256",
      "",
    ].join("\n"),
  });
  folder = server.folder;
  for (const role of ["either", "client", "plain", "encrypted"])
    await server.admin.unsafe(`create role ${role} login password '${password}'`);
});
afterAll(() => server?.stop());

/** How a connection with that string is seen by the server; the message where there is none. */
const seen = async (text: string, env = {}): Promise<string> => {
  const sql = unboundedConnection(completeDatabaseUrl(text, env));
  try {
    const [row] = await sql<{ role: string; isEncrypted: boolean; isOverSocket: boolean }[]>`
      select  current_user as role,
              coalesce((select ssl from pg_stat_ssl where pid = pg_backend_pid()), false) as is_encrypted,
              inet_server_addr() is null as is_over_socket
    `;
    return `${row!.role} ${row!.isOverSocket ? "by socket" : row!.isEncrypted ? "by TLS" : "plain"}`;
  } catch (error) {
    return (error as Error).message;
  } finally {
    await sql.end({ timeout: 1 });
  }
};

const urlOf = (role: string, query: string, host = "localhost") =>
  `postgres://${role}:${encodeURIComponent(password)}@${host}:${server.port}/postgres?${query}`;

describe("sslmode", () => {
  const refused = expect.stringMatching(/^no pg_hba.conf entry/);
  it.each([
    ["disable", "either plain", "plain plain", refused],
    ["allow", "either plain", "plain plain", "encrypted by TLS"],
    ["prefer", "either by TLS", "plain plain", "encrypted by TLS"],
    ["require", "either by TLS", refused, "encrypted by TLS"],
  ])(
    "%s uses as much TLS as libpq, also where the server refuses the login with it or without it",
    async (mode, ...expected) => {
      const query = `sslmode=${mode}`;
      const roles = ["either", "plain", "encrypted"];
      expect(await Promise.all(roles.map((role) => seen(urlOf(role, query))))).toEqual(expected);
    },
  );

  it("is prefer by default", async () => {
    expect(await seen(urlOf("either", ""))).toBe("either by TLS");
  });

  const untrusted = expect.stringContaining("self-signed certificate");
  it.each([
    ["require", "either by TLS", "either by TLS", untrusted],
    ["verify-ca", "either by TLS", "either by TLS", untrusted],
    ["verify-full", "either by TLS", expect.stringContaining("does not match"), untrusted],
  ])("%s checks the certificate of the server by the root certificates", async (mode, ...expected) => {
    const query = (authority: string) => `sslmode=${mode}&sslrootcert=${folder}/${authority}.crt`;
    expect([
      await seen(urlOf("either", query("ca"))),
      await seen(urlOf("either", query("ca"), "127.0.0.1")),
      await seen(urlOf("either", query("other"))),
    ]).toEqual(expected);
  });

  it("with sslrootcert=system trusts what the machine trusts", async () => {
    expect(await seen(urlOf("either", "sslrootcert=system"))).toContain("self-signed certificate");
  });
});

describe("a connection to a server", () => {
  it("logs in with a certificate of its own", async () => {
    const files = `sslcert=${folder}/client.crt&sslkey=${folder}/client.key`;
    const query = `sslmode=verify-full&sslrootcert=${folder}/ca.crt&${files}`;
    expect(await seen(`postgres://client@localhost:${server.port}/postgres?${query}`)).toBe("client by TLS");
  });

  it("begins with TLS, checks the name of the host at another address, and goes by a socket", async () => {
    expect(await seen(urlOf("either", "sslmode=require&sslnegotiation=direct"))).toBe("either by TLS");
    const verified = `sslmode=verify-full&sslrootcert=${folder}/ca.crt&hostaddr=127.0.0.1`;
    expect(await seen(urlOf("either", verified))).toBe("either by TLS");
    expect(await seen(urlOf("either", verified, "elsewhere.example"))).toContain("does not match");
    for (const url of [urlOf("either", "", encodeURIComponent(folder)), urlOf("either", `host=${folder}`)])
      expect(await seen(url)).toBe("either by socket");
    const env = { PGHOST: folder, PGPORT: `${server.port}`, PGUSER: "either", PGPASSWORD: password };
    expect(await seen("postgres:///postgres", env)).toBe("either by socket");
  });

  it("goes to the first of several that answers and is of the right kind", async () => {
    const hosts = `localhost:1,localhost`;
    expect(await seen(urlOf("either", "", hosts))).toBe("either by TLS");
    for (const kind of ["read-write", "primary", "prefer-standby"])
      expect(await seen(urlOf("either", `target_session_attrs=${kind}`, hosts))).toBe("either by TLS");
    for (const kind of ["read-only", "standby"])
      expect(await seen(urlOf("either", `target_session_attrs=${kind}`))).toContain(`is not ${kind}`);
    expect(await seen(urlOf("either", "load_balance_hosts=random", hosts))).toBe("either by TLS");
  });

  it("reports the reason of a failure, and no password", async () => {
    expect(await seen(urlOf("either", "").replace(/:[^:@]+@/, ":wrong@"))).toBe(
      'password authentication failed for user "either"',
    );
    expect(await seen("postgres://u:hunter2@localhost:1/d")).toMatch(/^localhost:1: connect ECONNREFUSED/);
    expect(await seen(`postgres://u:hunter2@${encodeURIComponent("/nowhere")}/d`)).toMatch(
      /ENOENT \/nowhere/,
    );
  });
});

describe("a pool", () => {
  it("never opens more connections than its maximum, with the one that listens", async () => {
    const max = 5;
    const pool = openDatabase(completeDatabaseUrl(urlOf("either", ""), {}), { max });
    const connections = connectionsOf(pool);
    const listening = await pool.listen("anything", () => {});
    const sleep = connections.withOwn(({ sql }) =>
      Effect.promise(async () => await sql`select pg_sleep(0.2)`),
    );
    const work = Effect.runPromise(
      Effect.all(
        Array.from({ length: 12 }, () => sleep),
        { concurrency: 12 },
      ),
    );
    const shared = Array.from({ length: 12 }, () => connections.onShared(async (sql) => await sql`select 1`));
    let most = 0;
    let isDone = false;
    void work.finally(() => (isDone = true));
    while (!isDone) {
      const [row] =
        await server.admin`select count(*)::int as count from pg_stat_activity where usename = 'either'`;
      most = Math.max(most, row!.count);
    }
    await Promise.all([work, ...shared]);
    await listening.unlisten();
    await connections.end(1_000);
    await pool.end({ timeout: 1 });
    expect(most).toBe(max);
  });
});
