import * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import * as Scope from "effect/Scope";
import { afterAll, beforeAll, expect, it } from "vitest";
import { systemClock } from "../../adapters-infra/local/system-clock.ts";
import { openDatabase } from "../../adapters-infra/postgres/connection.ts";
import { postgresAdapters } from "../../adapters-infra/postgres/index.ts";
import { stopRuns } from "../../core/queue/stop-runs.ts";
import { aCompany, anAgent, aWakeRequest, openTestStorage, type TestStorage } from "../support/builders.ts";
import { eventually } from "../support/eventually.ts";
import * as nouns from "../support/nouns.ts";
import { unitAt } from "../support/units.ts";

let storage: TestStorage;
beforeAll(async () => {
  storage = await openTestStorage();
});
afterAll(() => storage.close());

it("signals work to every server, after a reconnect too, and to none that has unsubscribed", async () => {
  const sql = openDatabase(storage.url, { max: 2 });
  const { signals } = postgresAdapters(sql, systemClock);
  const listen = async (onWork: () => void) => {
    const scope = await Effect.runPromise(Scope.make());
    await Effect.runPromise(signals.listen(onWork).pipe(Effect.provideService(Scope.Scope, scope)));
    return () => Effect.runPromise(Scope.close(scope, Exit.void));
  };
  let received = 0;
  const until = (holds: (count: number) => boolean) =>
    eventually(async () => received, holds, { everyMs: 5 });
  const unsubscribe = await listen(() => received++);
  await until((count) => count === 1);

  const company = await aCompany(storage);
  const agent = await anAgent(storage, { companyId: company.id });
  const request = aWakeRequest({ agent });
  await storage.run(({ wakes }) => wakes.add(request));
  await until((count) => count === 2);
  // A wake that joins a run signals, too: a claim may have skipped the locked run.
  await storage.run(({ wakes }) => wakes.add(aWakeRequest({ agent })));
  await until((count) => count === 3);
  await storage.run((stores) => stopRuns(unitAt(stores, nouns.now), { runId: request.runId }, "cancelled"));
  await until((count) => count === 4);

  // A rolled-back transaction signals nothing.
  await Effect.runPromiseExit(
    storage.transactor.transact(({ wakes }) =>
      Effect.andThen(wakes.add(aWakeRequest({ agent })), Effect.fail("no")),
    ),
  );
  // Signals come in the order of their transactions.
  await storage.run(({ wakes }) => wakes.add(aWakeRequest({ agent })));
  await until((count) => count >= 5);
  expect(received).toBe(5);

  for (let round = 0; round < 3; round++) {
    const before = received;
    await storage.sql`
      select  pg_terminate_backend(pid)
      from    pg_stat_activity
      where   datname = current_database()
      and     query ilike 'listen %'
    `;
    await until((count) => count > before);
  }
  const afterReconnects = received;
  await storage.run(({ wakes }) => wakes.add(aWakeRequest({ agent })));
  await until((count) => count === afterReconnects + 1);

  await unsubscribe();
  // Both would hear the same connection.
  let receivedByOther = 0;
  const unsubscribeOther = await listen(() => receivedByOther++);
  await storage.run((stores) => stopRuns(unitAt(stores, nouns.now), { agentId: agent.id }, "cancelled"));
  await eventually(
    async () => receivedByOther,
    (count) => count === 2,
    { everyMs: 5 },
  );
  await unsubscribeOther();
  expect(received).toBe(afterReconnects + 1);
  await sql.end({ timeout: 5 });
});
