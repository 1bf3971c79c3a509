import * as Effect from "effect/Effect";
import type { Container } from "inversify";
import type { KeyRing } from "../../adapters-infra/local/master-key.ts";
import { rotatingMasterKey } from "../../adapters-infra/local/rotating-master-key.ts";
import { transactorOf } from "../../adapters-infra/postgres/transactor.ts";
import { finishRun } from "../../core/runs/finish-run.ts";
import type { Conduct } from "../../core/runs/run-supervision.ts";
import type { Assembly } from "../../hosts/composition/app.ts";
import { T } from "../../hosts/composition/wiring/tokens.ts";
import type { Clock } from "../../ports/clock.ts";
import type { MasterKeys } from "../../ports/secret-provider.ts";
import type { Transactor } from "../../ports/transactor.ts";
import { replaceStores } from "./replace-stores.ts";
import { contextOf } from "./units.ts";

/** The points in a run's life where a crash of any process must lose nothing. */
export const crashPoints = [
  "before-pid-stored",
  "after-pid-stored",
  "mid-output",
  "after-result",
  "in-finish",
  "after-finish",
] as const;
export type CrashPoint = (typeof crashPoints)[number];

/** The same for a message of a person to a run. */
export const messageCrashPoints = ["message-handed", "message-taken", "message-recorded"] as const;
export type MessageCrashPoint = (typeof messageCrashPoints)[number];

/** The same for a service that continues the run of one that is gone. */
export const handoverCrashPoints = ["run-moved", "run-taken", "output-repeated"] as const;
export type HandoverCrashPoint = (typeof handoverCrashPoints)[number];

/**
 * The same for gates and merges: the end of a run is stored and its gates are to be judged, a command has ended, its
 * result is written and not committed, a commit is noted, the host has answered to its push.
 */
export const mergeCrashPoints = [
  "run-ended",
  "command-ended",
  "result-written",
  "commit-noted",
  "commit-pushed",
] as const;
export type MergeCrashPoint = (typeof mergeCrashPoints)[number];

/** The same for a change of the master key. */
export const rotationCrashPoints = [
  "key-written",
  "keys-rewrapped",
  "database-changed",
  "key-adopted",
] as const;
export type RotationCrashPoint = (typeof rotationCrashPoints)[number];

/** Where a service of the fault suite stops. */
export interface Stops {
  readonly crashAt: CrashPoint | null;
  readonly crashMessageAt: MessageCrashPoint | null;
  readonly crashHandoverAt: HandoverCrashPoint | null;
  readonly crashMergeAt: MergeCrashPoint | null;
  readonly crashRotationAt: RotationCrashPoint | null;
}

/** Installs the points in a service that starts. */
export const stoppingParts =
  ({
    crashAt,
    crashMessageAt,
    crashHandoverAt,
    crashMergeAt,
    crashRotationAt,
  }: Stops): NonNullable<Assembly["replaceParts"]> =>
  (container) => {
    const transactor = container.get(T.transactor);
    if (crashAt !== null) {
      const parts = { transactor, clock: container.get(T.clock), ids: container.get(T.ids) };
      const conduct = stoppingAt(crashAt, container.get(T.conduct), parts);
      container.rebind(T.conduct).toConstantValue(conduct);
    }
    if (crashMessageAt !== null) {
      const conduct = messageStoppingAt(crashMessageAt, container.get(T.conduct));
      container.rebind(T.conduct).toConstantValue(conduct);
    }
    if (crashHandoverAt !== null) stopHandoverAt(crashHandoverAt, container);
    if (crashMergeAt !== null) stopMergeAt(crashMergeAt, container);
    if (crashRotationAt !== null) {
      const keys = rotationStoppingAt(crashRotationAt, container.get(T.keyRing), transactor);
      container.rebind(T.masterKeys).toConstantValue(keys);
    }
  };

/**
 * Suspends the process (SIGSTOP) when it first reaches that point of a run, so that a test can kill it, its children or
 * its database there, and resume it.
 */
const stoppingAt = (
  point: CrashPoint,
  deps: Conduct,
  { transactor, clock }: { transactor: Transactor; clock: Clock },
): Conduct => {
  const haltNow = haltingAt(point);
  const halt = (here: CrashPoint) => Effect.sync(() => haltNow(here));
  /** Everything of the end is written, nothing committed. */
  const finish = finishRun(
    contextOf(
      transactorOf((work) =>
        transactor.transact((stores) => work(stores).pipe(Effect.tap(() => halt("in-finish")))),
      ),
      clock,
    ),
  );
  return {
    ...deps,
    runs: {
      ...deps.runs,
      recordProcess: (runId, identity) =>
        halt("before-pid-stored").pipe(
          Effect.andThen(deps.runs.recordProcess(runId, identity)),
          Effect.tap(() => halt("after-pid-stored")),
        ),
      finish: (command) =>
        halt("after-result").pipe(
          Effect.andThen(finish(command)),
          Effect.tap(() => halt("after-finish")),
        ),
    },
    runLogs: {
      ...deps.runLogs,
      open: (companyId, runId) =>
        Effect.map(deps.runLogs.open(companyId, runId), (log) => ({
          write: (stream, chunk) => log.write(stream, chunk).pipe(Effect.tap(() => halt("mid-output"))),
          tail: () => log.tail(),
          close: () => log.close(),
        })),
    },
  };
};

/** The service's words when it hands a message over. */
export const handedOver = "a message is handed over";

/** As above, for a message: when it is handed over, when the program has it, and when that is stored. */
const messageStoppingAt = (point: MessageCrashPoint, deps: Conduct): Conduct => {
  const haltNow = haltingAt(point);
  const halt = (here: MessageCrashPoint) => Effect.sync(() => haltNow(here));
  return {
    ...deps,
    runs: {
      ...deps.runs,
      nextMessage: (runId, known) =>
        Effect.tap(deps.runs.nextMessage(runId, known), (message) =>
          message === null
            ? Effect.void
            : Effect.sync(() => process.stderr.write(`${handedOver}\n`)).pipe(
                Effect.andThen(halt("message-handed")),
              ),
        ),
      recordMessage: (command) =>
        halt("message-taken").pipe(
          Effect.andThen(deps.runs.recordMessage(command)),
          Effect.tap(() => halt("message-recorded")),
        ),
    },
  };
};

/** As above, for a run to continue: when it is this service's, when its programs are, and while it comes to where it was. */
const stopHandoverAt = (point: HandoverCrashPoint, container: Container): void => {
  const haltNow = haltingAt(point);
  const halt = (here: HandoverCrashPoint) => Effect.sync(() => haltNow(here));
  const runs = container.get(T.runs);
  const conduct = container.get(T.conduct);
  container.rebind(T.runs).toConstantValue({
    ...runs,
    continue: (move) =>
      Effect.tap(runs.continue(move), (moved) => (moved.length === 0 ? Effect.void : halt("run-moved"))),
  });
  const handover = container.get(T.handover);
  if (handover === null) throw new Error("The service hands nothing over.");
  container.rebind(T.handover).toConstantValue({
    ...handover,
    takeOver: (run) => Effect.tap(handover.takeOver(run), () => halt("run-taken")),
  });
  container.rebind(T.conduct).toConstantValue({
    ...conduct,
    runLogs: {
      ...conduct.runLogs,
      continue: (companyId, runId) =>
        Effect.map(conduct.runLogs.continue(companyId, runId), (log) => ({
          write: (stream, chunk) => log.write(stream, chunk).pipe(Effect.tap(() => halt("output-repeated"))),
          tail: () => log.tail(),
          close: () => log.close(),
          repeats: () => log.repeats(),
        })),
    },
  });
};

/** As above, for the verdict on an issue's gates, the command of a gate and the push of a merge. */
const stopMergeAt = (point: MergeCrashPoint, container: Container): void => {
  const haltNow = haltingAt(point);
  const halt = (here: MergeCrashPoint) => Effect.sync(() => haltNow(here));
  if (point === "run-ended") stopAfterEnd(() => haltNow("run-ended"), container);
  if (point === "result-written") stopWithResult(() => haltNow("result-written"), container);
  const codeStores = container.get(T.codeStores);
  container.rebind(T.codeStores).toConstantValue({
    ...codeStores,
    push: (...asked) =>
      halt("commit-noted").pipe(
        Effect.andThen(codeStores.push(...asked)),
        Effect.tap(() => halt("commit-pushed")),
      ),
  });
  const trees = container.get(T.issueWorkspaces);
  container.rebind(T.issueWorkspaces).toConstantValue({
    ...trees,
    runAtCommit: (order) => Effect.tap(trees.runAtCommit(order), () => halt("command-ended")),
  });
};

/** The end of a run is one transaction, and each verdict on gates that it leaves to be applied another. */
const stopAfterEnd = (halt: () => void, container: Container): void => {
  const conduct = container.get(T.conduct);
  const transactor = container.get(T.transactor);
  let isEndStored = false;
  const twoSteps = transactorOf((work) =>
    Effect.suspend(() => {
      if (isEndStored) halt();
      isEndStored = true;
      return transactor.transact(work);
    }),
  );
  const finish = finishRun({ ...container.get(T.context), transactor: twoSteps });
  container.rebind(T.conduct).toConstantValue({ ...conduct, runs: { ...conduct.runs, finish } });
};

/** The result of a gate's command and what follows from it are one transaction. */
const stopWithResult = (halt: () => void, container: Container): void => {
  const transactor = container.get(T.transactor);
  const transact: Transactor["transact"] = (work) =>
    transactor.transact((stores) =>
      Effect.suspend(() => {
        let hasResult = false;
        const saveCheck: typeof stores.gates.saveCheck = (check) => {
          hasResult = true;
          return stores.gates.saveCheck(check);
        };
        return work(replaceStores(stores, { gates: { ...stores.gates, saveCheck } })).pipe(
          Effect.tap(() => Effect.sync(() => hasResult && halt())),
        );
      }),
    );
  container.rebind(T.transactor).toConstantValue({ ...transactor, transact });
};

/** As above, for a change of the master key. */
const rotationStoppingAt = (point: RotationCrashPoint, ring: KeyRing, transactor: Transactor): MasterKeys => {
  const halt = haltingAt(point);
  return {
    fingerprint: rotatingMasterKey(ring, transactor).fingerprint,
    rotate: rotatingMasterKey(
      {
        ...ring,
        next: () => {
          const key = ring.next();
          halt("key-written");
          return key;
        },
        adopt: (fingerprint) => {
          halt("database-changed");
          ring.adopt(fingerprint);
          halt("key-adopted");
        },
      },
      {
        ...transactor,
        transact: (work) =>
          transactor.transact((stores) =>
            work(stores).pipe(Effect.tap(() => Effect.sync(() => halt("keys-rewrapped")))),
          ),
      },
    ).rotate,
  };
};

const haltingAt = <P>(point: P) => {
  let passed = false;
  return (here: P): void => {
    if (here !== point || passed) return;
    passed = true;
    process.kill(process.pid, "SIGSTOP");
  };
};
