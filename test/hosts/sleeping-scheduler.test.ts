import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import postgres from "postgres";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createDatabase, type TestDatabase } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { hurriedService } from "../support/hurried-service.ts";

let database: TestDatabase;
let sql: postgres.Sql;
let directory: string;

beforeAll(async () => {
  [database, directory] = await Promise.all([createDatabase(), mkdtemp(join(tmpdir(), "boardroom-leaps-"))]);
  sql = postgres(database.url, { max: 1 });
});
afterAll(async () => {
  await sql?.end();
  await database?.drop();
  await rm(directory, { recursive: true, force: true });
});

const leapSec = 2 * 60 * 60;
const halfMinuteMs = 30_000;
const forEverMs = 2 ** 31 - 1;

/** A service whose scheduler never looks again by itself. */
const sleepingService = (name: string) =>
  hurriedService(
    {
      dataDir: join(directory, name),
      databaseUrl: database.url,
      everyMs: halfMinuteMs,
      pauseOf: (millis) => (millis >= halfMinuteMs ? forEverMs : millis),
    },
    {},
  );

describe("A scheduler that sleeps", () => {
  it("is woken for a tick that another service adds, and by the tick itself", async () => {
    const service = await sleepingService("sleeping");
    try {
      const { client } = service;
      const { id: companyId } = await client.companies.create({ name: "Sleepers" });
      const { id: assigneeAgentId } = await client.agents.create({
        companyId,
        name: "Ada",
        adapterType: "process",
        adapterConfig: { command: "/bin/true" },
      });
      const { id: projectId } = await client.projects.create({ companyId, name: "P" });
      const { id: routineId } = await client.routines.create({
        companyId,
        projectId,
        title: "Now",
        assigneeAgentId,
      });
      for (const inMs of [0, 700]) {
        const due = new Date(Date.now() + inMs);
        await sql`
          insert into routine_triggers (
            id, company_id, routine_id, kind, enabled, cron_expression, timezone, next_fire_at, created_at, updated_at
          )
          values (
            gen_random_uuid(), ${companyId}, ${routineId}, 'schedule', true, '0 0 1 1 *', 'UTC', ${due}, now(), now()
          )
        `;
        const { items } = await eventually(
          () => client.routines.runs({ routineId }),
          (runs) => runs.items.some(({ scheduledFor }) => scheduledFor === due.toISOString()),
        );
        const run = items.find(({ scheduledFor }) => scheduledFor === due.toISOString())!;
        expect(Date.parse(run.triggeredAt)).toBeGreaterThanOrEqual(due.getTime());
      }
    } finally {
      await service.close();
    }
  });
});

describe("A service whose clock leaps two hours ahead and back", () => {
  it("fires what is due, and calculates schedules and timers anew, without waiting for its next round", async () => {
    const service = await sleepingService("leaping");
    try {
      const { client } = service;
      const { id: companyId } = await client.companies.create({ name: "Leaps" });
      const agent = { companyId, adapterType: "process", adapterConfig: { command: "/bin/true" } };
      const { id: assigneeAgentId } = await client.agents.create({ ...agent, name: "Ada" });
      // Has no runs: a correction leaves out the agent that another transaction has locked.
      const { id: timedId } = await client.agents.create({
        ...agent,
        name: "Grace",
        runtimeConfig: { heartbeat: { enabled: true, intervalSec: 86_400 } },
      });
      const { id: projectId } = await client.projects.create({ companyId, name: "P" });
      const { id: routineId } = await client.routines.create({
        companyId,
        projectId,
        title: "Hourly",
        catchUpPolicy: "enqueue_missed_with_cap",
        assigneeAgentId,
      });
      const roundsBefore = service.rounds();
      await client.routines.addTrigger({
        routineId,
        kind: "schedule",
        cronExpression: "0 * * * *",
        timezone: "UTC",
      });
      // A round for the new trigger could fire before the leap is noticed, and two leaps within a second are none.
      await eventually(
        async () => service.rounds(),
        (rounds) => rounds > roundsBefore,
      );
      const next = async () => (await client.routines.get({ routineId })).nextFireAt!;
      const timer = async () => {
        const [row] = await sql<{ at: Date }[]>`select next_timer_at as at from agents where id = ${timedId}`;
        return row!.at.getTime();
      };
      const [nextBefore, timerBefore] = [await next(), await timer()];
      const promised = async () => {
        const [own] = await client.routines.nextFires({ routineId, count: 1 });
        const [ofCompany] = await client.routines.companyNextFires({ companyId, count: 1 });
        return [own?.scheduledFor, ofCompany?.scheduledFor, await next()];
      };

      service.advance(leapSec);
      await eventually(
        () => client.routines.runs({ routineId }),
        ({ items }) => items.length > 0,
      );
      const nextAhead = await eventually(next, (at) => at > nextBefore);
      // Its timer is not due: it is set anew as if it had been by the clock that is ahead.
      await sql`
        update agents set next_timer_at = next_timer_at + ${`${leapSec} seconds`}::interval where id = ${timedId}
      `;

      service.advance(-leapSec);
      await eventually(next, (at) => at < nextAhead);
      await eventually(timer, (at) => at - timerBefore < leapSec * 1_000);
      // An hour may pass between two of the questions.
      await eventually(promised, (ticks) => new Set(ticks).size === 1);
    } finally {
      await service.close();
    }
  });
});
