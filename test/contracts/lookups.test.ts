import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import * as Fiber from "effect/Fiber";
import postgres, { type Sql } from "postgres";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openDatabase } from "../../adapters-infra/postgres/connection.ts";
import { type Database, databaseOf } from "../../adapters-infra/postgres/database.ts";
import { accessViews } from "../../adapters-infra/postgres/views/access-views.ts";
import { createDatabase, type TestDatabase } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";

let made: TestDatabase;
let pool: Sql;
let admin: Sql;
let database: Database;

beforeAll(async () => {
  made = await createDatabase();
  pool = openDatabase(made.url, { max: 2 });
  admin = postgres(made.url, { max: 1, onnotice: () => {} });
  database = databaseOf(pool);
});
afterAll(async () => {
  await pool.end({ timeout: 5 });
  await admin.end({ timeout: 5 });
  await made.drop();
});

const backend = (sql: Sql) => sql<{ pid: number; n: number }[]>`select pg_backend_pid() as pid, 1 as n`;
const slow = (sql: Sql) =>
  sql<{ pid: number; n: number }[]>`select pg_backend_pid() as pid, 1 as n from pg_sleep(30)`;
const lookUp = () => Effect.runPromise(database.lookUp(backend)).then((row) => row!.pid);

const sleeper = async (event: "PgSleep" | "advisory" = "PgSleep"): Promise<number> => {
  const [row] = await eventually(
    () => admin<{ pid: number }[]>`
      select  pid
      from    pg_stat_activity
      where   datname = current_database()
      and     wait_event = ${event}
    `,
    (rows) => rows.length > 0,
    { everyMs: 5 },
  );
  return row!.pid;
};

describe("a lookup by key", () => {
  it("shares one connection with all others, however many run", async () => {
    const pids = await Promise.all(Array.from({ length: 50 }, lookUp));
    expect(new Set(pids).size).toBe(1);
  });

  it("gives one row, or none", async () => {
    const nobody = (sql: Sql) => sql<{ n: number }[]>`select 1 as n where false`;
    expect(await Effect.runPromise(database.lookUp(nobody))).toBeNull();
    expect((await Effect.runPromise(database.lookUp(backend)))?.n).toBe(1);
  });

  it("waits for no transaction, even if these hold all connections of the pool", async () => {
    const transactions = Array.from({ length: 2 }, () =>
      Effect.runFork(database.connections.withOwn(() => Effect.promise(() => new Promise(() => {})))),
    );
    expect(await lookUp()).toBeGreaterThan(0);
    await Effect.runPromise(Fiber.interruptAll(transactions));
  });

  it("fails alone if its statement fails", async () => {
    const wrong = (sql: Sql) => sql<{ n: number }[]>`select 1 / 0 as n`;
    const [failed, ...others] = await Promise.all([
      Effect.runPromiseExit(database.lookUp(wrong)),
      lookUp(),
      lookUp(),
    ]);
    expect(String(failed)).toContain("The database refused a statement: division by zero");
    expect(new Set(others).size).toBe(1);
  });

  it("fails when its connection is killed, sent or not, and the next uses another", async () => {
    for (let round = 0; round < 5; round++) {
      const underWay = [slow, backend, backend].map((statement) =>
        Effect.runPromiseExit(database.lookUp(statement)),
      );
      const pid = await sleeper();
      await admin`select pg_terminate_backend(${pid})`;
      for (const exit of await Promise.all(underWay)) {
        expect(Exit.hasDies(exit)).toBe(true);
        expect(String(exit)).toMatch(/connection to the database was lost|does not answer/);
      }
      expect(await lookUp()).not.toBe(pid);
    }
  });

  it("releases an interrupted caller while the database is silent", async () => {
    const hole = createServer(() => {});
    await new Promise<void>((resolve) => hole.listen(0, "127.0.0.1", resolve));
    const silent = openDatabase(`postgres://a:b@127.0.0.1:${(hole.address() as AddressInfo).port}/c`, {
      max: 2,
    });
    const arrived = once(hole, "connection");
    const fiber = Effect.runFork(databaseOf(silent).lookUp(backend));
    await arrived;
    const began = performance.now();
    await Effect.runPromise(Fiber.interrupt(fiber));
    // The client would give up after ten seconds.
    expect(performance.now() - began).toBeLessThan(8_000);
    await silent.end({ timeout: 1 });
    hole.close();
  });

  it("is refused by an absent server with a clear sentence, each time", async () => {
    const nowhere = openDatabase("postgres://nobody:x@127.0.0.1:1/none", { max: 1 });
    const unreachable = databaseOf(nowhere);
    for (let round = 0; round < 3; round++) {
      const exit = await Effect.runPromiseExit(unreachable.lookUp(backend));
      expect(String(exit)).toContain("The database does not answer");
    }
    await nowhere.end({ timeout: 1 });
  });
});

describe("a lookup under a key", () => {
  const counted = (sql: Sql) => sql<{ n: number }[]>`select nextval('looks') as n`;
  const lookUp = (key: string) => Effect.runPromise(database.lookUpOnce(key, counted)).then((row) => row!.n);

  it("is sent once for all that ask in one turn, apart from other keys and later turns", async () => {
    await admin.unsafe("create sequence looks");
    expect(await Promise.all([lookUp("a"), lookUp("b"), lookUp("a"), lookUp("a")])).toEqual([1, 2, 1, 1]);
    expect(await lookUp("a")).toBe(3);
    await admin.unsafe("drop sequence looks");
  });

  it("sees what was stored before it was asked for, even if an earlier one still runs", async () => {
    await admin.unsafe("create table tokens (revoked boolean); insert into tokens values (false)");
    const isRevoked = (sql: Sql) =>
      sql<{ revoked: boolean }[]>`select revoked from tokens, pg_advisory_xact_lock_shared(1)`;
    const ask = () => Effect.runPromise(database.lookUpOnce("token", isRevoked)).then((row) => row!.revoked);
    await admin`select pg_advisory_lock(1)`;
    const earlier = ask();
    await sleeper("advisory");
    await admin`update tokens set revoked = true`;
    const later = ask();
    await admin`select pg_advisory_unlock(1)`;
    expect([await earlier, await later]).toEqual([false, true]);
    await admin.unsafe("drop table tokens");
  });

  it("fails for all that asked, and is sent again for the next", async () => {
    const wrong = (sql: Sql) => sql<{ n: number }[]>`select 1 / 0 as n`;
    const failed = await Promise.all(
      Array.from({ length: 3 }, () => Effect.runPromiseExit(database.lookUpOnce("c", wrong))),
    );
    expect(failed.every(Exit.hasDies)).toBe(true);
    expect((await Effect.runPromise(database.lookUpOnce("c", backend)))?.n).toBe(1);
  });

  it("is sent once for all requests of a turn whose paths name the same record", async () => {
    const sent: string[] = [];
    const counting: Database = {
      ...database,
      lookUpOnce: (key, statement) =>
        database.lookUpOnce(key, (sql) => {
          sent.push(key);
          return statement(sql);
        }),
    };
    const { locate } = accessViews(counting);
    const [one, other] = ["00000000-0000-4000-8000-000000000001", "00000000-0000-4000-8000-000000000002"];
    const asked = [
      ...Array.from({ length: 8 }, () => locate("issue", one, null)),
      locate("issue", other, null),
      locate("run", one, null),
    ];
    await Promise.all(asked.map((each) => Effect.runPromise(each)));
    expect(sent).toHaveLength(3);
  });
});

describe("a read during a migration", () => {
  const both = (sql: Sql) =>
    sql<{ n: number }[]>`select first.n from first join second on second.n = first.n`;

  it.each([
    ["asked by itself", () => database.first(both)],
    ["looked up", () => database.lookUp(both)],
    [
      "read in batches",
      () =>
        Effect.map(
          database.readBatches(both, () => true),
          ([row]) => row,
        ),
    ],
  ])("in the middle of its tables yields to it, and is answered afterwards: %s", async (_, read) => {
    await admin.unsafe("create table first (n integer); create table second (n integer)");
    await admin.unsafe("insert into first values (1); insert into second values (1)");
    const migration = postgres(made.url, { max: 1 });
    await migration`set deadlock_timeout = '1min'`;
    // The server itself goes on as soon as the read waits: the read looks for a deadlock once, a second after its wait
    // began, and by then each must wait for the other.
    const migrated = migration
      .unsafe(`
      do $$
      begin
        lock table second;
        while not exists (select from pg_locks where relation = 'second'::regclass and not granted) loop
          perform pg_sleep(0.001);
        end loop;
        alter table first add column more integer;
      end $$
    `)
      .execute();
    await locked("second");
    const answer = Effect.runPromise(read());
    await migrated;
    await migration.end();
    expect(await answer).toEqual({ n: 1 });
    await admin.unsafe("drop table first, second");
  });

  const locked = (table: string) =>
    eventually(
      () => admin`
        select  from pg_locks
        where   relation = ${table}::regclass and mode = 'AccessExclusiveLock' and granted
      `,
      ({ length }) => length > 0,
      { everyMs: 5 },
    );
});
