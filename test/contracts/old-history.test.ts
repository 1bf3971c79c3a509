import * as Effect from "effect/Effect";
import type postgres from "postgres";
import { v7 } from "uuid";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { CompanyId } from "../../core/model/shared/ids.ts";
import { addSeconds, type Instant } from "../../core/model/shared/instant.ts";
import { deleteOldHistory, type HistoryRetention } from "../../core/runs/delete-old-history.ts";
import { aCompany, anAgent, openTestStorage, type TestStorage } from "../support/builders.ts";
import { contextOf } from "../support/units.ts";

let storage: TestStorage;
let companyId: CompanyId;
let agentId: string;
beforeAll(async () => {
  storage = await openTestStorage();
  companyId = (await aCompany(storage)).id;
  agentId = (await anAgent(storage, { companyId })).id;
});
afterAll(() => storage?.close());

const daySec = 24 * 60 * 60;
const today = new Date().toISOString() as Instant;
/** Ids and times of rows are of that day, counted from today. */
const dayOf = (day: number): Instant => addSeconds(today, day * daySec);
const idOf = (day: number) => v7({ msecs: Date.parse(dayOf(day)) });

/** Calls until there is no more, on that day. */
const sweep = async (retention: HistoryRetention, onDay: number): Promise<void> => {
  const some = deleteOldHistory(contextOf(storage.transactor, { now: () => dayOf(onDay) }))(retention);
  while (await Effect.runPromise(some));
};

/** Stores rows without what they refer to, which does not matter here. */
const store = (rows: (sql: postgres.TransactionSql) => Promise<unknown>): Promise<unknown> =>
  (storage.sql as unknown as postgres.Sql).begin(async (sql) => {
    await sql`set local session_replication_role = replica`;
    await rows(sql);
  });

const ids = async (table: string, where = "true"): Promise<readonly string[]> =>
  (await storage.sql.unsafe<{ id: string }[]>(`select id from ${table} where ${where} order by id`)).map(
    ({ id }) => id,
  );

const aWake = async (day: number, of: { endReason?: string; runId?: string; isPending?: boolean }) => {
  const id = idOf(day);
  await store(
    (sql) => sql`
      insert into wakes (
        id, company_id, agent_id, reason, source, status, end_reason, run_id, by_kind, created_at, ended_at
      )
      values (
        ${id}, ${companyId}, ${agentId}, 'manual', 'on_demand',
        ${of.isPending ? "pending" : of.runId ? "started" : "skipped"}, ${of.endReason ?? null}, ${of.runId ?? null},
        'system', ${dayOf(day)}, ${of.isPending ? null : dayOf(day)}
      )`,
  );
  return id;
};

const aRun = async (day: number, stopReason: string | null = null) => {
  const id = idOf(day);
  await store(
    (sql) => sql`
      insert into runs (
        id, company_id, agent_id, adapter_type, status, wake_reason, invocation_source, stop_reason, started_at,
        finished_at, created_at, updated_at
      )
      values (
        ${id}, ${companyId}, ${agentId}, 'process', 'cancelled', 'manual', 'on_demand', ${stopReason}, ${dayOf(day)},
        ${dayOf(day)}, ${dayOf(day)}, ${dayOf(day)}
      )`,
  );
  return id;
};

const details: HistoryRetention = { runDetailsDays: 30, activityDays: null, costEventsDays: null };
const activity: HistoryRetention = { runDetailsDays: null, activityDays: 30, costEventsDays: null };
const nothing: HistoryRetention = { runDetailsDays: null, activityDays: null, costEventsDays: null };

describe("Ended wakes", () => {
  beforeEach(() => store((sql) => sql`truncate wakes, runs cascade`));

  it("are deleted with the details of the run that took them up, and the run stays", async () => {
    const old = await aRun(-31);
    const recent = await aRun(-29);
    await aWake(-31, { runId: old });
    await aWake(-31, { runId: old });
    const recentWake = await aWake(-29, { runId: recent });
    await sweep(nothing, 0);
    expect(await ids("wakes")).toHaveLength(3);
    await sweep(details, 0);
    expect(await ids("wakes")).toEqual([recentWake]);
    expect(await ids("runs")).toEqual([old, recent]);
  });

  it("without a run are deleted after the same time; those that wait are not", async () => {
    await aWake(-31, { endReason: "issue_closed" });
    const recent = await aWake(-29, { endReason: "issue_closed" });
    const waits = await aWake(-31, { isPending: true });
    await sweep(details, 0);
    expect(await ids("wakes")).toEqual([waits, recent].sort());
  });

  it("that a hold cut off are found when it is lifted, however old they are", async () => {
    const cutOff = () =>
      storage.run(({ wakes }) => wakes.cutOff(companyId, { agentId: agentId as never }, ["manual"]));
    for (const run of [null, await aRun(-100, "agent_paused")]) {
      await store((sql) => sql`truncate wakes`);
      await aWake(-100, run === null ? { endReason: "agent_paused" } : { runId: run });
      const before = await cutOff();
      expect(before).toHaveLength(1);
      await sweep(details, 0);
      expect(await cutOff()).toEqual(before);
    }
  });
});

describe("Other history", () => {
  it("what was sent with a firing is deleted with the details of runs; the firing stays", async () => {
    const firing = async (day: number) => {
      const id = idOf(day);
      await store(
        (sql) => sql`
          insert into routine_runs (
            id, company_id, routine_id, source, status, triggered_at, trigger_payload, replay_key,
            routine_revision_id, created_at
          )
          values (
            ${id}, ${companyId}, ${v7()}, 'webhook', 'skipped', ${dayOf(day)}, '{"a": 1}', '\\x01', ${v7()},
            ${dayOf(day)}
          )`,
      );
      return id;
    };
    const [old, recent] = [await firing(-31), await firing(-29)];
    await sweep(activity, 0);
    expect(await ids("routine_runs", "trigger_payload is not null")).toEqual([old, recent]);
    await sweep(details, 0);
    expect(await ids("routine_runs", "trigger_payload is not null")).toEqual([recent]);
    expect(await ids("routine_runs", "replay_key is not null")).toEqual([old, recent]);
  });

  it("the use of secrets is deleted with the activity", async () => {
    const used = async (day: number) => {
      const id = idOf(day);
      await store(
        (sql) => sql`
          insert into secret_access_events (
            id, company_id, secret_id, provider, agent_id, config_path, run_id, outcome, created_at
          )
          values (
            ${id}, ${companyId}, ${v7()}, 'local_encrypted', ${agentId}, 'env.KEY', ${v7()}, 'success', ${dayOf(day)}
          )`,
      );
      return id;
    };
    const [old, recent] = [await used(-31), await used(-29)];
    await sweep(details, 0);
    expect(await ids("secret_access_events")).toEqual([old, recent]);
    await sweep(activity, 0);
    expect(await ids("secret_access_events")).toEqual([recent]);
  });

  it("web sessions and links are deleted thirty days after their end, whatever is kept; tokens are not", async () => {
    const token = async (day: number, kind: "session" | "token") => {
      const id = idOf(day);
      const end = kind === "session" ? dayOf(day) : null;
      await store(
        (sql) => sql`
          insert into board_tokens (id, user_id, kind, name, hash, created_at, expires_at, ends_at)
          values (${id}, ${v7()}, ${kind}, 'T', ${Buffer.from(id)}, ${dayOf(day - 1)}, ${end}, ${end})`,
      );
      return id;
    };
    const link = async (day: number) => {
      const id = idOf(day);
      await store(
        (sql) => sql`
          insert into sign_in_codes (id, user_id, purpose, hash, session_name, created_at, expires_at)
          values (${id}, ${v7()}, 'open', ${Buffer.from(id)}, 'S', ${dayOf(day)}, ${dayOf(day)})`,
      );
      return id;
    };
    await token(-31, "session");
    await link(-31);
    const remaining = [await token(-31, "token"), await token(-29, "session")];
    const recent = await link(-29);
    await sweep(nothing, 0);
    expect(await ids("board_tokens")).toEqual(remaining);
    expect(await ids("sign_in_codes")).toEqual([recent]);
  });
});
