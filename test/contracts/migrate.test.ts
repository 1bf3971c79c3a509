import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import * as Effect from "effect/Effect";
import type { Sql } from "postgres";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { openDatabase } from "../../adapters-infra/postgres/connection.ts";
import { migrate } from "../../adapters-infra/postgres/migrate.ts";
import { closeOwnConnection, openOwnConnection } from "../../adapters-infra/postgres/own-connection.ts";
import { createDatabase, type TestDatabase } from "../support/database.ts";
import { laterMigrations } from "../support/later-migrations.ts";

let database: TestDatabase;
let sql: Sql;
let folder: string;
let remove: () => Promise<void>;

beforeAll(async () => {
  database = await createDatabase();
  sql = openDatabase(database.url, { max: 3 });
});
afterAll(async () => {
  await sql.end({ timeout: 5 });
  await database.drop();
});

beforeEach(async () => {
  await sql`drop schema public cascade`;
  await sql`create schema public`;
  ({ folder, remove } = await laterMigrations());
});
afterEach(() => remove());

const bringUp = () => Effect.runPromise(migrate(sql));
const refusal = () => Effect.runPromise(Effect.flip(migrate(sql)));
/** Migrates the database and returns the log. */
const messages = async (): Promise<readonly string[]> => {
  const sentences: string[] = [];
  await Effect.runPromise(migrate(sql, { say: (sentence) => sentences.push(sentence) }));
  return sentences;
};
const known = async () => (await readdir(folder)).sort().map((name) => Number.parseInt(name, 10));
const lastVersion = async () => (await known()).at(-1)!;
const versions = async () =>
  (await sql<{ version: number }[]>`select version from schema_migrations order by version`).map(
    ({ version }) => version,
  );
const later = async (number: number, text: string) =>
  writeFile(join(folder, `${`${number}`.padStart(3, "0")}-later.sql`), text);

/** Waits until that many of the database's connections wait for a lock. */
const waiting = (count: number) =>
  vi.waitFor(
    async () => {
      const [now] = await sql<{ waiting: number }[]>`
        select count(*) as waiting from pg_locks
        where  not granted and pid in (select pid from pg_stat_activity where datname = current_database())
      `;
      expect(now!.waiting).toBe(count);
    },
    { timeout: 60_000, interval: 20 },
  );

describe("migrating the schema", () => {
  it("creates it, and does nothing the next time", async () => {
    await bringUp();
    const made = await versions();
    expect(made).toEqual(await known());
    await bringUp();
    expect(await versions()).toEqual(made);
    await sql`select from companies`;
  });

  it("runs once when several processes start at the same moment", async () => {
    await Promise.all(Array.from({ length: 4 }, bringUp));
    expect(await versions()).toEqual(await known());
  });

  it("adds new migrations", async () => {
    await bringUp();
    const next = (await lastVersion()) + 1;
    await later(next, "create table novelty (id integer); insert into novelty values (1), (2);");
    await bringUp();
    expect(await sql`select id from novelty`).toHaveLength(2);
    expect((await versions()).at(-1)).toBe(next);
  });

  it("leaves nothing of a failed migration, and keeps those before it", async () => {
    const next = (await lastVersion()) + 1;
    await later(next, "create table half (id integer); select no_such_function();");
    await expect(bringUp()).rejects.toThrow("no_such_function");
    expect(await versions()).toEqual((await known()).slice(0, -1));
    await expect(sql`select from half`).rejects.toThrow("does not exist");
  });

  it("refuses a database that a later version has migrated without saying whom it serves, naming both versions", async () => {
    const next = (await lastVersion()) + 1;
    await later(next, "select 1");
    await bringUp();
    await sql`update schema_migrations set serves_from = null where version = ${next}`;
    await rm(join(folder, `${`${next}`.padStart(3, "0")}-later.sql`));
    expect(await refusal()).toMatchObject({
      _tag: "DatabaseTooNew",
      databaseVersion: next,
      codeVersion: next - 1,
      message: expect.stringMatching(new RegExp(`version ${next},.*version ${next - 1} at most`)),
    });
  });

  describe("on a database that a later version has migrated", () => {
    const migratedLaterBy = async (text: string) => {
      const next = (await lastVersion()) + 1;
      await later(next, text);
      await bringUp();
      await rm(join(folder, `${`${next}`.padStart(3, "0")}-later.sql`));
      return next;
    };

    it("serves together with it, and says so, where the later migrations only add", async () => {
      const next = await migratedLaterBy("create table novelty (id integer)");
      expect(await messages()).toEqual([
        expect.stringMatching(
          `schema version ${next},.*knows version ${next - 1}, and serves together with it`,
        ),
      ]);
      expect((await versions()).at(-1)).toBe(next);
    });

    it("serves where what was taken away was not used by this version any more", async () => {
      const known = await lastVersion();
      await migratedLaterBy(`-- serves from: ${`${known}`.padStart(3, "0")}\nselect 1`);
      await bringUp();
    });

    it("refuses where one of them takes away what this version uses", async () => {
      const next = (await lastVersion()) + 1;
      await later(next, "select 1");
      await later(next + 1, `-- serves from: ${`${next}`.padStart(3, "0")}\nselect 1`);
      await bringUp();
      for (const one of [next, next + 1]) await rm(join(folder, `${`${one}`.padStart(3, "0")}-later.sql`));
      expect(await refusal()).toMatchObject({ _tag: "DatabaseTooNew", databaseVersion: next + 1 });
    });
  });

  it("refuses a database whose migration had another text", async () => {
    await bringUp();
    const path = join(folder, "000-baseline", "01-companies.sql");
    const text = await readFile(path, "utf8");
    await writeFile(path, text.replaceAll("\n", "\r\n"));
    await bringUp();
    await writeFile(path, `${text}-- and more\n`);
    expect(await refusal()).toMatchObject({
      _tag: "MigrationChanged",
      version: 0,
      message: expect.stringContaining("000-baseline"),
    });
  });

  it("refuses a database of a build before the baseline, says what to do, and changes nothing", async () => {
    await bringUp();
    await sql`update schema_migrations set version = 74, name = '074-titles-of-requests.sql'`;
    expect(await refusal()).toMatchObject({
      _tag: "DatabaseTooOld",
      message: expect.stringMatching(
        /earlier build.*with that build, or start this version with a new data directory/,
      ),
    });
    expect(await versions()).toEqual([74]);
  });

  it("ignores the limits of ordinary statements", async () => {
    const ordinary = openOwnConnection(sql);
    const [limit] = await ordinary.sql<{ statementTimeout: string }[]>`show statement_timeout`;
    await closeOwnConnection(ordinary);
    expect(limit!.statementTimeout).toBe("30s");
    const next = (await lastVersion()) + 1;
    await later(
      next,
      "create table limits as select current_setting('statement_timeout') as statement_timeout",
    );
    await bringUp();
    expect(await sql`select * from limits`).toMatchObject([{ statementTimeout: "0" }]);
  });
});

describe("migrating a database in use", () => {
  it("logs each step and the end; an empty or current database needs no log", async () => {
    expect(await messages()).toEqual([]);
    expect(await messages()).toEqual([]);
    const next = (await lastVersion()) + 1;
    await later(next, "select 1");
    await later(next + 1, "select 1");
    expect(await messages()).toEqual([
      expect.stringContaining(`${`${next}`.padStart(3, "0")}-later.sql (1 of 2)`),
      expect.stringContaining(`${`${next + 1}`.padStart(3, "0")}-later.sql (2 of 2)`),
      `The database is at schema version ${next + 1}.`,
    ]);
  });

  it("waits for another process that migrates, and reports it", async () => {
    await bringUp();
    const next = (await lastVersion()) + 1;
    await later(next, "select pg_advisory_xact_lock(1)");
    const gate = await sql.reserve();
    await gate`select pg_advisory_lock(1)`;
    const first = messages();
    await waiting(1);
    const second = messages();
    await waiting(2);
    await gate`select pg_advisory_unlock(1)`;
    gate.release();
    expect(await first).toHaveLength(2);
    expect(await second).toEqual([expect.stringContaining("Another service")]);
  });

  it("succeeds even if a running service and the migration wait for each other's tables", async () => {
    await sql`create table one (id integer)`;
    await sql`create table two (id integer)`;
    await bringUp();
    const next = (await lastVersion()) + 1;
    await later(
      next,
      `set local deadlock_timeout = '10ms';
       lock table one;
       select pg_advisory_xact_lock(1);
       alter table two add column more integer;
       insert into one values (1)`,
    );
    const gate = await sql.reserve();
    await gate`select pg_advisory_lock(1)`;
    const migrated = bringUp();
    await waiting(1);
    const service = await sql.reserve();
    await service`set deadlock_timeout = '1min'`;
    await service`begin`;
    await service`insert into two values (1)`;
    const inserted = service`insert into one values (2)`.execute();
    await waiting(2);
    // Now the migration needs the service's lock: it detects the deadlock first, and yields.
    await gate`select pg_advisory_unlock(1)`;
    await inserted;
    await service`commit`;
    await migrated;
    gate.release();
    service.release();
    expect(await sql`select id from one order by id`).toEqual([{ id: 1 }, { id: 2 }]);
    expect(await versions()).toEqual(await known());
  });
});

describe("a pool", () => {
  it("merges the words of what it stores into the index of the search early", async () => {
    const ordinary = openOwnConnection(sql);
    const [limit] = await ordinary.sql<{ ginPendingListLimit: string }[]>`show gin_pending_list_limit`;
    await closeOwnConnection(ordinary);
    expect(limit!.ginPendingListLimit).toBe("256kB");
  });

  it("maps the service's types: instants, days, numbers and camelCase, and leaves jsonb unchanged", async () => {
    const [row] = await sql`
      select  timestamptz '2026-01-02 03:04:05+00'         as at_a_second,
              timestamptz '2026-01-02 03:04:05.6+02'       as at_a_tenth,
              timestamptz '2026-01-02 03:04:05.123456+00'  as at_a_micro,
              timestamptz '0044-03-15 12:00:00+00 BC'      as long_ago,
              date '2026-02-28'                            as a_day,
              9007199254740991::bigint                     as a_count,
              12.5::numeric                                as a_sum,
              '{"snake_case": {"inner_key": 1}}'::jsonb    as a_value,
              array['a', 'b,c']                            as some_texts
    `;
    expect(row).toEqual({
      atASecond: "2026-01-02T03:04:05.000Z",
      atATenth: "2026-01-02T01:04:05.600Z",
      atAMicro: expect.stringMatching(/^2026-01-02T03:04:05\.123/),
      longAgo: expect.stringContaining("BC"),
      aDay: "2026-02-28",
      aCount: 9007199254740991,
      aSum: 12.5,
      aValue: { snake_case: { inner_key: 1 } },
      someTexts: ["a", "b,c"],
    });
  });
});
