import * as Effect from "effect/Effect";
import * as Fiber from "effect/Fiber";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { RunId, ServiceId } from "../../core/model/shared/ids.ts";
import { claimRuns } from "../../core/runs/claim-runs.ts";
import { lastRound } from "../../hosts/composition/jobs/last-round.ts";
import { claimRuns as claimRound } from "../../hosts/composition/jobs/live-run-jobs.ts";
import {
  aCompany,
  anAgent,
  aWakeRequest,
  newId,
  openTestStorage,
  type TestStorage,
} from "../support/builders.ts";
import { eventually } from "../support/eventually.ts";
import { contextOf } from "../support/units.ts";
import { localClaims } from "../support/workspaces.ts";

let storage: TestStorage;
beforeAll(async () => {
  storage = await openTestStorage();
});
afterAll(() => storage.close());

const clock = { now: () => new Date().toISOString() };

it("A run that is being claimed while its service stops is started, so that the stop ends it", async () => {
  const { id: companyId } = await aCompany(storage);
  const agent = await anAgent(storage, { companyId, adapterType: "stopping" });
  await storage.run(({ wakes }) => wakes.add(aWakeRequest({ agent, at: clock.now() })));
  // The commit of the claim waits for a lock that the test holds.
  await storage.sql.unsafe(`
    create function wait_for_test() returns trigger language plpgsql as $$
    begin perform pg_advisory_xact_lock(1); return null; end $$;
    create constraint trigger wait_for_test after update on runs deferrable initially deferred
      for each row when (new.status = 'running') execute function wait_for_test();
  `);
  const holder = await storage.sql.reserve();
  await holder`select pg_advisory_lock(1)`;

  const started: RunId[] = [];
  const round = claimRound({
    serviceId: newId<ServiceId>(),
    volume: { id: localClaims.volume },
    runs: { claim: claimRuns(contextOf(storage.transactor, clock)) },
    adapters: { loaded: () => new Map([["stopping", { type: "stopping", keepsFiles: false } as never]]) },
    runners: {
      all: [{ name: "local", processes: { scope: "host/here" }, volume: localClaims.volume } as never],
      default: "local",
    },
    caps: { instance: 9, company: 9, adapterType: 9 },
    live: {
      start: ({ run }) => Effect.sync(() => void started.push(run.id)),
      continue: () => Effect.void,
      stop: () => Effect.void,
      has: () => false,
      ids: () => [],
    },
    lastRound: lastRound(),
  });
  const fiber = Effect.runFork(round);
  await eventually(
    () => storage.sql`
      select from pg_stat_activity where datname = current_database() and wait_event = 'advisory'
    `,
    (waiting) => waiting.length === 1,
  );
  const stopped = Effect.runPromise(Fiber.interrupt(fiber));
  await holder`select pg_advisory_unlock(1)`;
  holder.release();
  await stopped;

  const running = await storage.sql<{ id: RunId }[]>`select id from runs where status = 'running'`;
  expect(running.map(({ id }) => id)).toEqual(started);
  expect(started).toHaveLength(1);
});
