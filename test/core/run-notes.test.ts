import * as Effect from "effect/Effect";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { transactorOf } from "../../adapters-infra/postgres/transactor.ts";
import type { RunId, ServiceId } from "../../core/model/shared/ids.ts";
import { stopRuns } from "../../core/queue/stop-runs.ts";
import { recordEvent } from "../../core/runs/record-event.ts";
import { recordProcess } from "../../core/runs/record-process.ts";
import { type RecordOfRun, runRecords } from "../../core/runs/run-records.ts";
import {
  aCompany,
  anAgent,
  aWakeRequest,
  newId,
  openTestStorage,
  type TestStorage,
} from "../support/builders.ts";
import { now } from "../support/nouns.ts";
import { contextOf, unitAt } from "../support/units.ts";

let storage: TestStorage;
let transactions = 0;
let notes: RecordOfRun;

beforeAll(async () => {
  storage = await openTestStorage();
  const counted = transactorOf((work) => {
    transactions += 1;
    return storage.transactor.transact(work);
  });
  notes = runRecords(contextOf(counted, { now: () => now }));
});
afterAll(() => storage.close());

const aRunningRun = async () => {
  const { id: companyId } = await aCompany(storage);
  const agent = await anAgent(storage, { companyId });
  const request = aWakeRequest({ agent });
  await storage.run(({ wakes, runs }) =>
    Effect.andThen(
      wakes.add(request),
      runs.start(
        [
          {
            runId: request.runId,
            by: { serviceId: newId<ServiceId>(), runner: "local", scope: "host/here", volume: null },
            sessionIdBefore: null,
          },
        ],
        now,
      ),
    ),
  );
  return { companyId, runId: request.runId };
};
const anEvent = ({ companyId, runId }: Awaited<ReturnType<typeof aRunningRun>>, message: string) =>
  Effect.exit(recordEvent(notes)({ companyId, runId, type: "lifecycle", level: "info", message }));
const messagesOf = async (runId: RunId) =>
  (await Effect.runPromise(storage.views.runs.events(runId, 0, { limit: 100 }))).items.map(
    ({ seq, message }) => `${seq} ${message}`,
  );
const inParallel = <A>(effects: readonly Effect.Effect<A>[]) =>
  Effect.runPromise(Effect.all(effects, { concurrency: "unbounded" }));

describe("notes of runs", () => {
  it("that come at once are stored in two transactions, numbered in their order for each run", async () => {
    const runs = await Promise.all(Array.from({ length: 20 }, aRunningRun));
    transactions = 0;
    await inParallel(
      runs.flatMap((run) => [
        Effect.asVoid(anEvent(run, "a")),
        Effect.asVoid(recordProcess(notes)(run.runId, { kind: "process", name: "7", uid: run.runId })),
        Effect.asVoid(anEvent(run, "b")),
      ]),
    );
    expect(transactions).toBeLessThanOrEqual(2);
    for (const { runId } of runs) {
      expect(await messagesOf(runId)).toEqual(["1 a", "2 b"]);
      const { process } = await storage.run(({ runs: store }) => store.lock(runId));
      expect(process).toEqual({ kind: "process", name: "7", uid: runId });
    }
  });

  it("of a run that has ended are not stored, and it learns that its process is not its own", async () => {
    const [ended, live] = [await aRunningRun(), await aRunningRun()];
    await storage.run((stores) =>
      Effect.andThen(
        stopRuns(unitAt(stores, now), { runId: ended.runId }, "cancelled"),
        stores.runs.end([ended.runId], {
          status: "cancelled",
          errorCode: "cancelled",
          error: null,
          line: { level: "info", message: "over" },
          exitCode: null,
          signal: null,
          lastOutput: null,
          summary: null,
          result: null,
          usage: null,
          costCents: null,
          sessionIdAfter: null,
          at: now,
        }),
      ),
    );
    const identity = { kind: "process", name: "7", uid: "x" } as const;
    expect(
      await inParallel([
        recordProcess(notes)(live.runId, identity),
        recordProcess(notes)(ended.runId, identity),
        Effect.as(anEvent(ended, "late"), null),
      ]),
    ).toEqual([true, false, null]);
    expect(await messagesOf(ended.runId)).toEqual(["1 over"]);
  });

  it("that the database refuses do not take those of other runs along", async () => {
    const [good, bad] = [await aRunningRun(), await aRunningRun()];
    const [, refused, stored] = await inParallel([
      anEvent(good, "first"),
      anEvent(bad, "no \0 character"),
      anEvent(good, "second"),
    ]);
    expect(refused!._tag).toBe("Failure");
    expect(stored!._tag).toBe("Success");
    expect(await messagesOf(good.runId)).toEqual(["1 first", "2 second"]);
    expect(await messagesOf(bad.runId)).toEqual([]);
  });

  it("of two programs of one run leave the later one", async () => {
    const { runId } = await aRunningRun();
    const named = (name: string) => recordProcess(notes)(runId, { kind: "process", name, uid: "x" });
    await inParallel([named("1"), named("2"), named("3")]);
    expect((await storage.run(({ runs }) => runs.lock(runId))).process?.name).toBe("3");
  });
});
