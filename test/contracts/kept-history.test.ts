import * as Effect from "effect/Effect";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { systemClock } from "../../adapters-infra/local/system-clock.ts";
import { openDatabase } from "../../adapters-infra/postgres/connection.ts";
import { type PostgresAdapters, postgresAdapters } from "../../adapters-infra/postgres/index.ts";
import { deleteOldHistory } from "../../core/runs/delete-old-history.ts";
import { createCrowdedDatabase, nth } from "../support/crowded-database.ts";
import type { TestDatabase } from "../support/database.ts";
import { contextOf } from "../support/units.ts";

let database: TestDatabase;
let sql: ReturnType<typeof openDatabase>;
let adapters: PostgresAdapters;
beforeAll(async () => {
  database = await createCrowdedDatabase();
  sql = openDatabase(database.url, { max: 4 });
  adapters = postgresAdapters(sql, systemClock);
});
afterAll(async () => {
  await sql?.end({ timeout: 5 });
  await database?.drop();
});

const count = async (what: "runs" | "activity", where: string): Promise<number> =>
  (await sql.unsafe<{ n: number }[]>(`select count(*) as n from ${what} where ${where}`))[0]!.n;

const future = { now: () => new Date(Date.now() + 1_000 * 86_400_000).toISOString() };
const ofRun = (table: string) => `exists (select from ${table} where run_id = runs.id)`;

describe("Of much old history", () => {
  it("one call deletes a bounded part, and never of a live run or one that is locked", async () => {
    const live = "status in ('queued', 'running')";
    const [before, liveWithEvents] = [
      await count("runs", "finished_at is not null"),
      await count("runs", `${live} and ${ofRun("run_events")}`),
    ];
    const [locked] = await sql<{ id: string }[]>`
      select id from runs where finished_at is not null order by finished_at, id limit 1`;
    const sweep = deleteOldHistory(contextOf(adapters.transactor, future));
    await sql.begin(async (tx) => {
      await tx`select from runs where id = ${locked!.id} for no key update`;
      await Effect.runPromise(sweep({ runDetailsDays: 30, activityDays: null, costEventsDays: null }));
    });
    expect(await count("runs", "details_deleted_at is not null")).toBe(Math.min(20, before - 1));
    expect(await count("runs", `id = '${locked!.id}' and details_deleted_at is null`)).toBe(1);
    expect(await count("runs", `details_deleted_at is not null and ${ofRun("run_events")}`)).toBe(0);
    expect(await count("runs", `details_deleted_at is not null and ${ofRun("run_log_segments")}`)).toBe(0);
    expect(await count("runs", `${live} and ${ofRun("run_events")}`)).toBe(liveWithEvents);
  });

  it("two services at once delete each entry once", async () => {
    const before = await count("activity", "true");
    const sweep = deleteOldHistory(contextOf(adapters.transactor, future));
    await Effect.runPromise(
      Effect.all(
        [1, 2].map(() => sweep({ runDetailsDays: null, activityDays: 1, costEventsDays: null })),
        { concurrency: "unbounded" },
      ),
    );
    const left = await count("activity", "true");
    expect(left).toBeLessThan(before);
    expect(before - left).toBeLessThanOrEqual(2_000);
    expect(await count("activity", `company_id = '${nth("company", 1)}'`)).toBeLessThan(before);
  });

  it("a reader who continues before the deleted events learns of it, and one after them does not", async () => {
    const { stream } = adapters.views;
    const companies = [nth("company", 1)];
    const after = (position: string) => Effect.runPromise(stream.after(position, companies, 10));
    expect((await after("0-0")).hasGap).toBe(true);
    expect((await after(await Effect.runPromise(stream.end()))).hasGap).toBe(false);
  });

  it("a mark of later transactions than those of this database, as after a restore, hides no event", async () => {
    const company = nth("company", 1);
    await sql`update deleted_events set xid = '9000000000000000000'::xid8 where company_id = ${company}`;
    const end = await Effect.runPromise(adapters.views.stream.end());
    const part = await Effect.runPromise(adapters.views.stream.after(end, [company], 10));
    expect(part.hasGap).toBe(false);
    await Effect.runPromise(
      deleteOldHistory(contextOf(adapters.transactor, future))({
        runDetailsDays: 1,
        activityDays: null,
        costEventsDays: null,
      }),
    );
    const [mark] = await sql<{ isAhead: boolean }[]>`
      select xid > pg_current_xact_id() as is_ahead from deleted_events where company_id = ${company}`;
    expect(mark).toEqual({ isAhead: false });
  });
});
