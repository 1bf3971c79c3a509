import * as Effect from "effect/Effect";
import * as FiberSet from "effect/FiberSet";
import type { VolumeHolders } from "../../../adapters-infra/local/volume-holders.ts";
import { type LeaseTimes, leftoverGraceSec } from "../../../core/model/runs/lease.ts";
import { isUuid, type RunId } from "../../../core/model/shared/ids.ts";
import type { Runs } from "../../../core/runs/index.ts";
import type { Handover, LocalProcessRunner, ProcessRunner } from "../../../ports/process-runner.ts";
import type { Runners } from "../../../ports/runners.ts";
import type { LostRun } from "../../../ports/stores/run-store.ts";
import type { Service, ServiceVolume } from "../../../ports/stores/service-store.ts";
import type { Views } from "../../../ports/views.ts";
import type { LiveRuns } from "./live-runs.ts";
import type { RecoverRun } from "./lost-runs.ts";
import { type OnFailure, repeatJob } from "./repeat-job.ts";

export interface SupervisionParts {
  readonly service: Service;
  readonly volume: ServiceVolume;
  readonly volumeHolders: VolumeHolders;
  readonly lease: LeaseTimes;
  readonly runs: Pick<Runs, "keepLease" | "mayEndPrograms" | "servicesOn" | "endLease" | "continue">;
  readonly views: Pick<Views, "runs">;
  readonly processes: Pick<LocalProcessRunner, "isAlive">;
  readonly handover: Handover | null;
  readonly runners: Pick<Runners, "all">;
  readonly live: LiveRuns;
  readonly recover: RecoverRun;
  readonly onFailure: OnFailure;
}

/** Renews this service's lease, and keeps the table of runs and the processes of this machine in agreement. */
export const keepSupervision = (parts: SupervisionParts) =>
  Effect.gen(function* () {
    const { service, volume, lease, runs, live, recover } = parts;
    const renewFile = parts.volumeHolders.renew(service.id, lease.leaseSec);
    const recoverAll = Effect.fnUntraced(function* (lost: readonly LostRun[]) {
      if (lost.length === 0) return;
      const mayEnd = yield* runs.mayEndPrograms();
      for (const { isReachable, ...run } of lost) yield* recover(run, isReachable && mayEnd);
    });
    const keepLease = (isStart = false) =>
      Effect.andThen(renewFile, runs.keepLease(service, volume, lease.leaseSec, isStart)).pipe(
        Effect.flatMap((lost) => recoverAll(lost.filter(({ id }) => !live.has(id)))),
      );
    const compare = yield* comparison(parts);
    // Before it continues runs: a run of a service without a lease is lost.
    yield* keepLease(true);
    yield* endLeasesOfDead(parts);
    yield* keepLease(true);
    const everyMs = lease.truthSec * 1000;
    yield* repeatJob(
      { name: "keeping the lease", everyMs: 0, run: Effect.delay(keepLease(), everyMs) },
      parts.onFailure,
    );
    yield* repeatJob(
      { name: "comparing runs and processes", everyMs, run: Effect.andThen(endLeasesOfDead(parts), compare) },
      parts.onFailure,
    );
  });

/**
 * Continues the runs of each service whose process on this machine is gone, where their programs live without it, and ends
 * its lease before it expires: its remaining runs are lost.
 */
const endLeasesOfDead = (parts: SupervisionParts) =>
  Effect.gen(function* () {
    const { service, runs, processes } = parts;
    for (const dead of yield* runs.servicesOn(service.host)) {
      const { id, pid, processStartedAt } = dead;
      if (id === service.id || processStartedAt === null) continue;
      if (yield* processes.isAlive({ pid, startedAt: processStartedAt })) continue;
      yield* continueRunsOf(parts, dead);
      yield* runs.endLease(id);
    }
  });

const continueRunsOf = Effect.fnUntraced(function* (
  { service, runs, views, handover, live }: SupervisionParts,
  { id, handoverFolders }: Service,
) {
  if (handover === null) return;
  const found = yield* Effect.forEach(handoverFolders, handover.orphansIn);
  const orphans = new Map(found.flat().map((each) => [each.runId as RunId, each]));
  if (orphans.size === 0) return;
  const among = [...orphans.keys()];
  // Ended, but its service had no time to tell the supervisor.
  for (const ended of yield* views.runs.endedAmong(among)) handover.endOrphanSteps(orphans.get(ended)!);
  for (const run of yield* runs.continue({ from: id, to: service.id, among })) {
    const adopted = yield* handover.takeOver(orphans.get(run.id)!);
    // Otherwise it has no supervisor, which the next comparison finds.
    if (adopted !== null) yield* live.continue({ run, ...adopted });
  }
});

const comparison = ({ service, runs, views, runners, live, recover }: SupervisionParts) =>
  Effect.gen(function* () {
    const stops = yield* FiberSet.make<void>();
    let unattended: ReadonlySet<RunId> = new Set();

    /** Stops the programs of runs that other services have ended because they considered this one dead. */
    const stopReassigned = Effect.gen(function* () {
      for (const id of yield* views.runs.endedAmong(live.ids())) yield* live.stop(id);
    });
    /** Recovers runs that the table assigns to this service but no fiber carries out, once it has seen them twice. */
    const recoverUnattended = Effect.gen(function* () {
      const found = (yield* views.runs.supervisedBy(service.id)).filter(({ id }) => !live.has(id));
      for (const run of found) if (unattended.has(run.id)) yield* recover(run, true);
      unattended = new Set(found.map(({ id }) => id));
    });
    const endProcessesOfEndedRuns = (processes: ProcessRunner) =>
      Effect.gen(function* () {
        const carried = [...(yield* processes.runIdsAlive())].filter(isUuid) as RunId[];
        // A process that does not end now is found again by the next comparison.
        for (const id of yield* views.runs.endedAmong(carried.filter((id) => !live.has(id))))
          yield* FiberSet.run(
            stops,
            Effect.catchCause(processes.endOrphans(id, null, leftoverGraceSec), () => Effect.void),
          );
      });
    const endAll = Effect.forEach(
      // Templates may share a scope.
      [...new Map(runners.all.map(({ processes }) => [processes.scope, processes])).values()],
      endProcessesOfEndedRuns,
      { concurrency: "unbounded", discard: true },
    );
    return Effect.gen(function* () {
      yield* stopReassigned;
      if (!(yield* runs.mayEndPrograms())) return;
      yield* recoverUnattended;
      yield* endAll;
    });
  });
