import * as Cause from "effect/Cause";
import * as Effect from "effect/Effect";
import * as FiberSet from "effect/FiberSet";
import type * as Scope from "effect/Scope";
import * as Semaphore from "effect/Semaphore";
import type { VolumeHolders } from "../../../adapters-infra/local/volume-holders.ts";
import type { Job } from "../../../core/access/job.ts";
import { accessJobs } from "../../../core/access/jobs.ts";
import type { Backups } from "../../../core/backups/index.ts";
import { backupJobs } from "../../../core/backups/jobs.ts";
import type { Repositories } from "../../../core/code/repositories/index.ts";
import { repositoryJobs } from "../../../core/code/repositories/jobs.ts";
import type { IssueWorkspaceUseCases } from "../../../core/code/workspaces/index.ts";
import { workspaceJobs } from "../../../core/code/workspaces/jobs.ts";
import type { Companies } from "../../../core/companies/index.ts";
import { companyJobs } from "../../../core/companies/jobs.ts";
import type { Events } from "../../../core/events/index.ts";
import { eventJobs } from "../../../core/events/jobs.ts";
import type { InBackground } from "../../../core/events/send-events.ts";
import type { Caps } from "../../../core/model/runs/gate.ts";
import type { LeaseTimes } from "../../../core/model/runs/lease.ts";
import { moneyJobs } from "../../../core/money/jobs.ts";
import type { Notices } from "../../../core/notices/index.ts";
import { noticeJobs } from "../../../core/notices/jobs.ts";
import { peopleJobs } from "../../../core/people/jobs.ts";
import type { conductRun } from "../../../core/runs/conduct-run.ts";
import type { continueRun } from "../../../core/runs/continue-run.ts";
import type { HistoryRetention } from "../../../core/runs/delete-old-history.ts";
import { runJobs } from "../../../core/runs/jobs.ts";
import type { Assets } from "../../../core/work/assets/index.ts";
import { assetJobs } from "../../../core/work/assets/jobs.ts";
import type { Issues } from "../../../core/work/issues/index.ts";
import { issueJobs } from "../../../core/work/issues/jobs.ts";
import type { Handover, LocalProcessRunner } from "../../../ports/process-runner.ts";
import type { Service, ServiceVolume } from "../../../ports/stores/service-store.ts";
import type { WorkSignals } from "../../../ports/work-signals.ts";
import type { App } from "../../api/endpoint/app.ts";
import { keepSupervision } from "./keep-supervision.ts";
import type { LastRound } from "./last-round.ts";
import { liveRunJobs } from "./live-run-jobs.ts";
import { liveRuns } from "./live-runs.ts";
import { type LostRunsParts, lostRuns } from "./lost-runs.ts";
import { onClockLeap } from "./on-clock-leap.ts";
import type { OpenQuestions } from "./open-questions.ts";
import type { OpenRunInbox } from "./open-run-inbox.ts";
import { type OnFailure, repeatJob } from "./repeat-job.ts";
import { makeSignal } from "./signal.ts";
import { watchSchedules } from "./watch-schedules.ts";

export interface BackgroundParts
  extends Pick<
    App,
    "access" | "adapters" | "clock" | "costs" | "idempotency" | "routines" | "runners" | "runs" | "views"
  > {
  readonly service: Service;
  readonly volume: ServiceVolume;
  readonly volumeHolders: VolumeHolders;
  readonly lease: LeaseTimes;
  readonly lastRound: LastRound;
  readonly repositories: Pick<
    Repositories,
    "maintainStores" | "pollPullRequests" | "recoverMerges" | "runGateChecks"
  >;
  readonly issues: Pick<Issues, "applyVerdicts">;
  readonly issueWorkspaces: Pick<
    IssueWorkspaceUseCases,
    "finishRemovals" | "retryCaptures" | "repairPacks" | "sweep"
  >;
  readonly backups: Pick<Backups, "takeDue">;
  readonly companies: Pick<Companies, "measureDisk">;
  readonly events: Pick<Events, "send" | "deleteOld">;
  readonly notices: Pick<Notices, "send" | "deleteOld">;
  readonly conduct: ReturnType<typeof conductRun>;
  readonly captureWorkOf: LostRunsParts["captureWorkOf"];
  readonly questions: OpenQuestions;
  readonly inbox: OpenRunInbox;
  readonly continueRun: ReturnType<typeof continueRun>;
  /** Whether the service ends for another one that continues its runs. */
  readonly isReplaced: () => boolean;
  readonly processes: LocalProcessRunner;
  /** null: all runs end with this process. */
  readonly handover: Handover | null;
  readonly signals: WorkSignals;
  readonly assets: Pick<Assets, "sweep">;
  readonly caps: Caps;
  readonly retention: HistoryRetention;
  /** Reports the failure of a round; the next round runs anyway. */
  readonly onFailure: OnFailure;
}

/** The background work of the service. */
export type Background = Effect.Effect<void, never, Scope.Scope>;

/**
 * Carries out runs, keeps the lease, fires schedules, and repeats the jobs of the modules. Every task is a fiber of the
 * scope. Closing the scope stops the claims, stops the live runs, waits until they have ended, and ends the lease.
 */
export const background = (parts: BackgroundParts): Background =>
  Effect.gen(function* () {
    const { runs, service, onFailure, handover } = parts;
    const signals = { work: makeSignal(), clock_leap: makeSignal(), events: makeSignal() };
    const endLease = Effect.andThen(
      Effect.ignoreCause(runs.endLease(service.id)),
      parts.volumeHolders.remove(service.id),
    );
    // While its programs live, no other service starts its runs again.
    yield* Effect.addFinalizer(() =>
      Effect.suspend(() => (handover?.hasDetached() === true ? Effect.void : endLease)),
    );
    const live = yield* liveRuns({
      conduct: parts.conduct,
      continueRun: parts.continueRun,
      handover,
      isReplaced: parts.isReplaced,
      stopAll: (outlive) => runs.stopRunsOf(service.id, outlive),
      // The end of a run frees a slot and may leave a wake.
      onEnd: signals.work.send,
      onFailure,
    });
    const recover = yield* lostRuns(parts);
    yield* keepSupervision({ ...parts, live, recover });
    yield* parts.signals.listen(signals.work.send);
    yield* parts.signals.listenForEvents(signals.events.send);
    const inBackground = inSet(yield* FiberSet.make<void>(), onFailure);
    yield* onClockLeap(parts.clock, signals.clock_leap.send);
    const schedules = yield* watchSchedules({ ...parts, leaps: yield* signals.clock_leap.listen });
    const takeTurn = Semaphore.makeUnsafe(1).withPermit;
    for (const job of [
      ...liveRunJobs({ ...parts, serviceId: service.id, live }),
      schedules,
      ...jobsOf(parts, inBackground),
    ])
      yield* repeatJob(
        job.sequential === true ? { ...job, run: takeTurn(job.run) } : job,
        onFailure,
        job.on === undefined ? undefined : yield* signals[job.on].listen,
      );
  });

/** Fibers that end with the scope of the set. */
const inSet =
  (set: FiberSet.FiberSet<void>, onFailure: OnFailure): InBackground =>
  (work) =>
    FiberSet.run(
      set,
      Effect.catchCause(work, (cause) =>
        Cause.hasInterruptsOnly(cause)
          ? Effect.failCause(cause)
          : Effect.sync(() => onFailure("sending events or notices", cause)),
      ),
    );

/** The jobs that the modules declare. */
const jobsOf = (parts: BackgroundParts, inBackground: InBackground): readonly Job[] => [
  ...runJobs(parts.runs, parts.retention),
  ...moneyJobs(parts.costs),
  ...companyJobs(parts.companies),
  ...eventJobs(parts.events, parts.service.id, inBackground),
  ...noticeJobs(parts.notices, parts.service.id, inBackground),
  ...peopleJobs(parts.access),
  ...backupJobs(parts.backups, parts.service.id),
  ...repositoryJobs(parts.repositories),
  ...workspaceJobs(parts.issueWorkspaces),
  ...issueJobs(parts.issues),
  ...assetJobs(parts.assets),
  ...accessJobs(parts.idempotency, parts.clock),
];
