import * as Effect from "effect/Effect";
import * as FiberSet from "effect/FiberSet";
import type { VolumeHolders } from "../../adapters-infra/local/volume-holders.ts";
import type { Runs } from "../../core/runs/index.ts";
import { type LeaseTimes, leftoverGraceSec } from "../../core/runs/lease.ts";
import { isUuid, type RunId } from "../../core/shared/ids.ts";
import type { LocalProcessRunner, ProcessRunner } from "../../ports/process-runner.ts";
import type { Runners } from "../../ports/runners.ts";
import type { HeldVolume, Service } from "../../ports/stores/service-store.ts";
import type { Views } from "../../ports/views.ts";
import type { LiveRuns } from "./live-runs.ts";
import type { RecoverRun } from "./lost-runs.ts";
import type { RepeatTask } from "./repeat-task.ts";

export interface SupervisionParts {
  readonly service: Service;
  readonly volume: HeldVolume;
  readonly volumeHolders: VolumeHolders;
  readonly lease: LeaseTimes;
  readonly runs: Pick<Runs, "keepLease" | "servicesOn" | "endLease">;
  readonly views: Pick<Views, "runs">;
  readonly processes: Pick<LocalProcessRunner, "isAlive">;
  readonly runners: Pick<Runners, "all">;
  readonly live: LiveRuns;
  readonly recover: RecoverRun;
  readonly repeat: RepeatTask;
}

/** Renews this service's lease, and keeps the table of runs and the processes of this machine in agreement. */
export const keepSupervision = (parts: SupervisionParts) =>
  Effect.gen(function* () {
    const { service, volume, lease, runs, live, recover } = parts;
    const renewFile = parts.volumeHolders.renew(service.id, lease.leaseSec);
    const keepLease = Effect.andThen(renewFile, runs.keepLease(service, volume, lease.leaseSec)).pipe(
      Effect.flatMap((lost) =>
        Effect.forEach(
          lost.filter(({ id }) => !live.has(id)),
          ({ isReachable, ...run }) => recover(run, isReachable),
          { discard: true },
        ),
      ),
    );
    const compare = yield* comparison(parts);
    yield* endLeasesOfDead(parts);
    yield* keepLease;
    const everyMs = lease.truthSec * 1000;
    yield* parts.repeat(0, "keeping the lease", Effect.delay(keepLease, everyMs));
    yield* parts.repeat(
      everyMs,
      "comparing runs and processes",
      Effect.andThen(endLeasesOfDead(parts), compare),
    );
  });

/** Ends the lease of each service whose process on this machine is gone, before the lease expires. */
const endLeasesOfDead = ({ service, runs, processes }: SupervisionParts) =>
  Effect.gen(function* () {
    for (const { id, pid, processStartedAt } of yield* runs.servicesOn(service.host)) {
      if (id === service.id || processStartedAt === null) continue;
      if (!(yield* processes.isAlive({ pid, startedAt: processStartedAt }))) yield* runs.endLease(id);
    }
  });

const comparison = ({ service, views, runners, live, recover }: SupervisionParts) =>
  Effect.gen(function* () {
    const stops = yield* FiberSet.make<void>();
    let unattended: ReadonlySet<RunId> = new Set();

    /** Stops the programs of runs that other services have ended because they considered this one dead. */
    const stopTakenOver = Effect.gen(function* () {
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
            Effect.catchCause(processes.endLeftovers(id, null, leftoverGraceSec), () => Effect.void),
          );
      });
    const endAll = Effect.forEach(
      // Templates may share a scope.
      [...new Map(runners.all.map(({ processes }) => [processes.scope, processes])).values()],
      endProcessesOfEndedRuns,
      { concurrency: "unbounded", discard: true },
    );
    return stopTakenOver.pipe(Effect.andThen(recoverUnattended), Effect.andThen(endAll));
  });
