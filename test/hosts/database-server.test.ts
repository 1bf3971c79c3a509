import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openDatabase } from "../../adapters-infra/postgres/connection.ts";
import { connectionsOf } from "../../adapters-infra/postgres/connections.ts";
import { eventually } from "../support/eventually.ts";
import { type PgBouncer, startPgBouncer } from "../support/pgbouncer.ts";
import { type PostgresServer, startPostgres } from "../support/postgres-server.ts";
import { refusedProgram, type ServiceProgram, serveProgram } from "../support/service-program.ts";

const password = "hunter2hunter2";
let server: PostgresServer;
let folder: string;

beforeAll(async () => {
  server = await startPostgres({ hba: "host all owner 127.0.0.1/32 scram-sha-256\n" });
  await server.admin.unsafe(`create role owner login password '${password}'`);
  folder = await mkdtemp(join(tmpdir(), "database-server-"));
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
  await server?.stop();
});

let made = 0;
const newDatabase = async (options = ""): Promise<string> => {
  const name = `service_${made++}`;
  await server.admin.unsafe(`create database ${name} owner owner ${options}`);
  return name;
};
const urlOf = (database: string, port = server.port) =>
  `postgres://owner:${password}@127.0.0.1:${port}/${database}`;
const masterKey = Buffer.alloc(32, 1).toString("base64");
const settingsOf = (DATABASE_URL: string) => ({ DATABASE_URL, SERVICE_SECRETS_MASTER_KEY: masterKey });
const dataDir = () => join(folder, `data-${made++}`);

const api = async (service: ServiceProgram, method: string, path: string, body?: object) => {
  const answer = await fetch(`${service.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${await service.token()}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  await answer.arrayBuffer();
  return answer.status;
};

describe("the start refuses in a sentence", () => {
  it.each([
    [
      "a connection string that can't be read",
      () => `postgres://owner:${password}%@127.0.0.1/d`,
      /^boardroom cannot start: DATABASE_URL has a % /,
    ],
    [
      "a parameter that does not work",
      () => `${urlOf("postgres")}?channel_binding=require`,
      /DATABASE_URL has channel_binding /,
    ],
    [
      "a wrong password",
      () => urlOf("postgres").replace(password, `${password}x`),
      /password authentication failed for user "owner"/,
    ],
    ["a database that is not there", () => urlOf("nowhere"), /database "nowhere" does not exist/],
    ["a server that is not there", () => urlOf("postgres", 1), /127\.0\.0\.1:1: connect ECONNREFUSED/],
  ])("%s, without the password", async (_case, url, sentence) => {
    const { code, output } = await refusedProgram(dataDir(), settingsOf(url()));
    expect([code, output.trim().split("\n").length]).toEqual([1, 1]);
    expect(output).toMatch(sentence);
    expect(output).not.toContain("hunter2");
    expect(output).not.toContain("defect");
  });

  it.each(["LATIN1", "SQL_ASCII"])("a database with the encoding %s", async (encoding) => {
    const database = await newDatabase(`encoding '${encoding}' template template0 locale 'C'`);
    const { code, output } = await refusedProgram(dataDir(), settingsOf(urlOf(database)));
    expect(code).toBe(1);
    expect(output).toContain(`The database has the encoding ${encoding}`);
  });
});

describe("behind PgBouncer", () => {
  const bouncers: PgBouncer[] = [];
  const bouncer = async (settings: Readonly<Record<string, string>>) => {
    const started = await startPgBouncer(server.port, { name: "owner", password }, settings);
    bouncers.push(started);
    return started;
  };
  afterAll(() => Promise.all(bouncers.map((each) => each.stop())));

  it.each([
    ["transaction", { pool_mode: "transaction" }],
    ["transaction, with a single session", { pool_mode: "transaction", default_pool_size: "1" }],
    [
      "transaction, with sessions in turn",
      { pool_mode: "transaction", server_round_robin: "1", min_pool_size: "5" },
    ],
    [
      "transaction, with two sessions in turn",
      { pool_mode: "transaction", server_round_robin: "1", min_pool_size: "2", default_pool_size: "2" },
    ],
    [
      "transaction, where start-up parameters are ignored",
      {
        pool_mode: "transaction",
        ignore_startup_parameters:
          "statement_timeout,idle_in_transaction_session_timeout,gin_pending_list_limit",
      },
    ],
  ])("in the mode %s the start refuses in a sentence", async (_mode, settings) => {
    const { port } = await bouncer(settings);
    const database = await newDatabase();
    const { code, output } = await refusedProgram(dataDir(), settingsOf(urlOf(database, port)));
    expect(output).toContain("connection pooler that gives each transaction another session");
    expect([code, output.trim().split("\n").length]).toEqual([1, 1]);
  });

  it("in the mode statement the start refuses", async () => {
    const { port } = await bouncer({ pool_mode: "statement" });
    const { code } = await refusedProgram(dataDir(), settingsOf(urlOf(await newDatabase(), port)));
    expect(code).toBe(1);
  });

  it.each([
    ["refuses start-up parameters", {}],
    [
      "ignores them",
      {
        ignore_startup_parameters:
          "statement_timeout,idle_in_transaction_session_timeout,gin_pending_list_limit",
      },
    ],
  ])(
    "in the mode session it serves, with its limits of time in force, where PgBouncer %s",
    async (_case, settings) => {
      const { port } = await bouncer({ pool_mode: "session", ...settings });
      const url = urlOf(await newDatabase(), port);
      const pool = openDatabase(url);
      const connections = connectionsOf(pool);
      const limit = await connections.onShared(async (sql) => await sql`show statement_timeout`);
      expect(limit[0]).toEqual({ statementTimeout: "30s" });
      await connections.end(1_000);
      await pool.end({ timeout: 1 });

      const service = await serveProgram(dataDir(), settingsOf(url));
      try {
        const statuses = await Promise.all(
          Array.from({ length: 20 }, (_, at) => api(service, "POST", "/api/companies", { name: `C${at}` })),
        );
        expect(statuses).toEqual(Array.from({ length: 20 }, () => 201));
      } finally {
        await service.stop();
      }
    },
  );

  it("without a free session a request is refused instead of waiting", async () => {
    const { port } = await bouncer({ pool_mode: "session", default_pool_size: "1" });
    const pool = openDatabase(`${urlOf(await newDatabase(), port)}?connect_timeout=1`);
    const [one, other] = [connectionsOf(pool), connectionsOf(pool)];
    await one.onShared(async (sql) => await sql`select 1`);
    await expect(other.onShared(async (sql) => await sql`select 1`)).rejects.toThrow(
      "gave no session within 2 s",
    );
    await one.end(1_000);
    await other.end(10_000);
    await pool.end({ timeout: 1 });
  });
});

describe("a database that becomes read-only", () => {
  it("makes health 503, and is written to again by the connections that are opened then", async () => {
    const database = await newDatabase();
    const service = await serveProgram(dataDir(), settingsOf(urlOf(database)));
    const write = () => api(service, "POST", "/api/companies", { name: "Written" });
    const health = () => api(service, "GET", "/api/health");
    try {
      await Promise.all(Array.from({ length: 10 }, write));
      // Each session that is open stays so, as those of a server that was demoted; new ones may write.
      const demote = `alter database ${database} set default_transaction_read_only = on`;
      await server.admin.unsafe(demote);
      await server.admin`select pg_terminate_backend(pid) from pg_stat_activity where datname = ${database}`;
      await eventually(write, (status) => status === 503);
      expect([await write(), await health()]).toEqual([503, 503]);
      await server.admin.unsafe(`alter database ${database} reset default_transaction_read_only`);
      await eventually(health, (status) => status === 200);
      await eventually(write, (status) => status === 201);
      expect(await Promise.all(Array.from({ length: 10 }, write))).toEqual(
        Array.from({ length: 10 }, () => 201),
      );
    } finally {
      await service.stop();
    }
  });
});

describe("SERVICE_DATABASE_POOL", () => {
  it("is the most connections that a service has", async () => {
    const database = await newDatabase();
    const service = await serveProgram(dataDir(), {
      ...settingsOf(urlOf(database)),
      SERVICE_DATABASE_POOL: "5",
    });
    // PostgreSQL's own workers (autovacuum) are in the view, too.
    const sessions = () =>
      server.admin<{ query: string }[]>`
        select query from pg_stat_activity where datname = ${database} and backend_type = 'client backend'`;
    try {
      // The start has a connection of its own, which ends when it has been idle for a second.
      await eventually(sessions, (open) =>
        open.every(({ query }) => !query.includes("from instance_settings")),
      );
      const work = Promise.all(
        Array.from({ length: 60 }, (_, at) => api(service, "POST", "/api/companies", { name: `C${at}` })),
      );
      let isDone = false;
      void work.finally(() => (isDone = true));
      let most = 0;
      while (!isDone) most = Math.max(most, (await sessions()).length);
      await work;
      expect(most).toBe(5);
    } finally {
      await service.stop();
    }
  });
});
