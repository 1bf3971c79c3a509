import type * as Cause from "effect/Cause";
import * as Effect from "effect/Effect";
import * as Queue from "effect/Queue";
import * as Schedule from "effect/Schedule";
import type * as Scope from "effect/Scope";
import * as Semaphore from "effect/Semaphore";
import type { VolumeHolders } from "../../adapters-infra/local/volume-holders.ts";
import type { Backups } from "../../core/backups/index.ts";
import type { Repositories } from "../../core/code/repositories/index.ts";
import type { Trees } from "../../core/code/workspaces/index.ts";
import { keepLeftEveryMs } from "../../core/code/workspaces/keep-left.ts";
import type { Companies } from "../../core/companies/index.ts";
import { schedulerIntervalSec } from "../../core/model/routines/catch-up.ts";
import type { Caps } from "../../core/model/runs/gate.ts";
import type { LeaseTimes } from "../../core/model/runs/lease.ts";
import type { conductRun } from "../../core/runs/conduct-run.ts";
import type { continueRun } from "../../core/runs/continue-run.ts";
import type { KeptHistory } from "../../core/runs/delete-old-history.ts";
import type { Assets } from "../../core/work/assets/index.ts";
import type { Handover, LocalProcessRunner } from "../../ports/process-runner.ts";
import type { HeldVolume, Service } from "../../ports/stores/service-store.ts";
import type { WorkSignals } from "../../ports/work-signals.ts";
import type { App } from "../api/endpoint/app.ts";
import { claimRound } from "./claim-rounds.ts";
import { keepSupervision } from "./keep-supervision.ts";
import type { LastRound } from "./last-round.ts";
import { liveRuns } from "./live-runs.ts";
import { type LostRunsParts, lostRuns } from "./lost-runs.ts";
import { onClockLeap } from "./on-clock-leap.ts";
import type { OpenQuestions } from "./open-questions.ts";
import type { OpenWords } from "./open-words.ts";
import { repeatTask } from "./repeat-task.ts";
import { watchSchedules } from "./watch-schedules.ts";

export interface BackgroundParts
  extends Pick<
    App,
    "adapters" | "clock" | "costs" | "idempotency" | "routines" | "runners" | "runs" | "views"
  > {
  readonly service: Service;
  readonly volume: HeldVolume;
  readonly volumeHolders: VolumeHolders;
  readonly lease: LeaseTimes;
  readonly lastRound: LastRound;
  readonly repositories: Pick<
    Repositories,
    "keepStores" | "pollPullRequests" | "recoverMerges" | "runGateChecks"
  >;
  readonly trees: Pick<Trees, "finishRemovals" | "keepLeft" | "mendPacks" | "sweep">;
  readonly backups: Pick<Backups, "takeDue">;
  readonly companies: Pick<Companies, "measureDisk">;
  readonly conduct: ReturnType<typeof conductRun>;
  readonly keepWork: LostRunsParts["keepWork"];
  readonly questions: OpenQuestions;
  readonly words: OpenWords;
  readonly continueRun: ReturnType<typeof continueRun>;
  /** Whether the service ends for another one that continues its runs. */
  readonly isReplaced: () => boolean;
  readonly processes: LocalProcessRunner;
  /** null: all runs end with this process. */
  readonly handover: Handover | null;
  readonly signals: WorkSignals;
  readonly assets: Pick<Assets, "sweep">;
  readonly caps: Caps;
  readonly kept: KeptHistory;
  /** Reports the failure of a round; the next round runs anyway. */
  readonly onFailure: (what: string, cause: Cause.Cause<unknown>) => void;
}

const timerMs = 1_000;
const clockCheckMs = schedulerIntervalSec * 1000;
/** The gate ignores the holds of past months, lifted or not; this wakes the agents that had to wait, once a month. */
const holdSweepMs = 10_000;
const requestSweepMs = 10 * 60_000;
const backupCheckMs = 60_000;
const diskCheckMs = 10 * 60_000;
/** Also once at the start: what a killed service left would stop every fetch. */
const storeUpkeepMs = 6 * 3_600_000;
const treeSweepMs = 10 * 60_000;
const removalMs = 2_000;
const mergeCheckMs = 5_000;
/** Those whose time has come: each has a time of its own. */
const pullRequestMs = 5_000;
const gateCheckMs = 2_000;
const fileSweepMs = 60_000;
const historySweepMs = 5 * 60_000;
/** Leaves the database to others in between. */
const betweenDeletionsMs = 100;

/** The background work of the service. */
export type Background = Effect.Effect<void, never, Scope.Scope>;

/**
 * Claims and carries out runs, stops them, keeps the lease, fires timers and schedules. Every task is a fiber of the
 * scope. Closing the scope stops the claims, stops the live runs, waits until they have ended, and ends the lease.
 */
export const background = (parts: BackgroundParts): Background =>
  Effect.gen(function* () {
    const { runs, service, onFailure } = parts;
    const repeat = repeatTask(onFailure);
    /** Tasks that can wait run one after the other: at the start each would open a connection, which stays for a minute. */
    const inTurn = Semaphore.makeUnsafe(1).withPermit;
    const work = yield* Queue.sliding<void>(1);
    const noteWork = () => void Queue.offerUnsafe(work, undefined);
    const { handover } = parts;
    const endLease = Effect.andThen(
      Effect.ignoreCause(runs.endLease(service.id)),
      parts.volumeHolders.remove(service.id),
    );
    // While its programs live nobody else starts its runs again.
    yield* Effect.addFinalizer(() =>
      Effect.suspend(() => (handover?.hasLeft() === true ? Effect.void : endLease)),
    );
    const live = yield* liveRuns({
      conduct: parts.conduct,
      continueRun: parts.continueRun,
      handover,
      isReplaced: parts.isReplaced,
      stopAll: (outlive) => runs.stopRunsOf(service.id, outlive),
      // The end of a run frees a slot and may leave a wake.
      onEnd: noteWork,
      onFailure,
    });
    const recover = yield* lostRuns(parts);
    yield* keepSupervision({ ...parts, live, recover, repeat });
    yield* parts.signals.listen(noteWork);
    yield* repeat(0, "claiming runs", claimRound({ ...parts, serviceId: service.id, live, work }));
    const leaps = yield* Queue.sliding<void>(1);
    const leapsOfSchedules = yield* Queue.sliding<void>(1);
    yield* onClockLeap(parts.clock, () => {
      for (const queue of [leaps, leapsOfSchedules]) Queue.offerUnsafe(queue, undefined);
    });
    yield* watchSchedules({ ...parts, leaps: leapsOfSchedules });
    yield* repeat(timerMs, "firing timers", runs.tickTimers(100));
    yield* repeat(
      0,
      "correcting timers after the clock was set back",
      Effect.andThen(
        runs.correctTimers(100),
        Effect.raceFirst(Queue.take(leaps), Effect.sleep(clockCheckMs)),
      ),
    );
    yield* repeat(holdSweepMs, "lifting budget holds of past months", parts.costs.liftHolds());
    yield* repeat(
      requestSweepMs,
      "deleting old idempotency keys",
      inTurn(Effect.suspend(() => parts.idempotency.sweep(parts.clock.now()))),
    );
    yield* repeat(
      historySweepMs,
      "deleting old history",
      inTurn(Effect.suspend(() => runs.deleteOldHistory(parts.kept))).pipe(
        Effect.repeat({ schedule: Schedule.spaced(betweenDeletionsMs), while: (isMore) => isMore }),
      ),
    );
    yield* repeat(
      diskCheckMs,
      "measuring disks",
      inTurn(Effect.suspend(() => parts.companies.measureDisk())),
    );
    yield* repeat(backupCheckMs, "taking a scheduled backup", parts.backups.takeDue(service.id));
    // Not in turn with others: a host may take its time.
    yield* repeat(
      mergeCheckMs,
      "ending merges of killed services",
      Effect.suspend(() => parts.repositories.recoverMerges()),
    );
    // Not in turn with others: a command may take its whole time limit.
    yield* repeat(
      gateCheckMs,
      "running the commands of gates",
      Effect.suspend(() => parts.repositories.runGateChecks()),
    );
    // Not in turn with others: a host may take its time.
    yield* repeat(
      pullRequestMs,
      "looking at pull requests",
      Effect.suspend(() => parts.repositories.pollPullRequests()),
    );
    yield* repeat(
      storeUpkeepMs,
      "repairing and packing the stores of repositories",
      inTurn(Effect.suspend(() => Effect.orDie(parts.repositories.keepStores()))),
    );
    yield* repeat(
      treeSweepMs,
      "removing workspaces of closed issues",
      inTurn(Effect.suspend(() => parts.trees.sweep())),
    );
    yield* repeat(
      treeSweepMs,
      "looking at the packs of runs",
      inTurn(Effect.suspend(() => parts.trees.mendPacks())),
    );
    // Not in turn with others: archive commands may take their whole time limit.
    for (const removals of parts.trees.finishRemovals())
      yield* repeat(removalMs, "removing workspaces", removals);
    // Not in turn with others: a step in a large workspace may take minutes.
    yield* repeat(
      keepLeftEveryMs,
      "keeping what ended runs left in workspaces",
      Effect.suspend(() => parts.trees.keepLeft()),
    );
    yield* repeat(
      fileSweepMs,
      "deleting unreferenced files",
      inTurn(Effect.suspend(() => Effect.orDie(parts.assets.sweep()))),
    );
  });
