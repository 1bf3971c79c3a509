import * as Effect from "effect/Effect";
import type { Job } from "../../../core/access/job.ts";
import type { Caps } from "../../../core/model/runs/gate.ts";
import type { ServiceId, VolumeId } from "../../../core/model/shared/ids.ts";
import type { Claim } from "../../../core/runs/claim-runs.ts";
import type { Runs } from "../../../core/runs/index.ts";
import type { AdapterRegistry } from "../../../ports/adapter-registry.ts";
import type { Runners } from "../../../ports/runners.ts";
import type { Views } from "../../../ports/views.ts";
import type { LastRound } from "./last-round.ts";
import type { LiveRuns } from "./live-runs.ts";
import type { OpenQuestions } from "./open-questions.ts";
import type { OpenRunInbox } from "./open-run-inbox.ts";

export interface LiveRunParts {
  readonly serviceId: ServiceId;
  readonly volume: { readonly id: VolumeId };
  readonly runs: Pick<Runs, "claim">;
  readonly views: Pick<Views, "runs">;
  readonly adapters: Pick<AdapterRegistry, "loaded">;
  readonly runners: Pick<Runners, "all" | "default">;
  readonly caps: Caps;
  readonly live: LiveRuns;
  readonly lastRound: LastRound;
  readonly questions: Pick<OpenQuestions, "check">;
  readonly inbox: Pick<OpenRunInbox, "check">;
}

/** How many runs one transaction claims at most. */
const batch = 20;
/** The maximum delay of work that no signal announces. */
const onWork = { on: "work", everyMs: 2_000 } as const;

/** The jobs of the runs that this process carries out. A failure of one does not delay the others. */
export const liveRunJobs = (parts: LiveRunParts): readonly Job[] => [
  { name: "claiming runs", ...onWork, run: claimRuns(parts) },
  { name: "stopping runs", ...onWork, run: stopRuns(parts) },
  { name: "handing answers to runs", ...onWork, run: parts.questions.check },
  { name: "handing messages to runs", ...onWork, run: parts.inbox.check },
];

/** Claims and starts runs, until no more can be claimed. */
export const claimRuns = ({
  adapters,
  caps,
  lastRound,
  live,
  runners,
  runs,
  serviceId,
  volume,
}: Omit<LiveRunParts, "views" | "questions" | "inbox">) => {
  const start = ({ claimed, mayBeMore }: Claim) =>
    Effect.as(Effect.forEach(claimed, live.start, { discard: true }), claimed.length > 0 && mayBeMore);
  const claimAndStart = Effect.suspend(() => {
    const loaded = [...adapters.loaded().values()];
    const claim = runs.claim({
      serviceId,
      adapterTypes: loaded.map(({ type }) => type),
      typesWithoutFiles: loaded.filter(({ keepsFiles }) => !keepsFiles).map(({ type }) => type),
      runners: new Map(
        // Runs wait where there is no room for what they would write.
        runners.all
          .filter((runner) => runner.isDiskFull?.() !== true)
          .map(({ name, processes: { scope }, volume }) => [name, { scope, volume }]),
      ),
      volume: volume.id,
      defaultRunner: runners.default,
      limit: batch,
      caps,
    });
    // A service that stops after the commit starts what it claimed, and then stops it: no other service would.
    return Effect.uninterruptible(Effect.flatMap(claim, start));
  });
  return Effect.gen(function* () {
    while (yield* claimAndStart);
    lastRound.record();
  });
};

/** Stops the runs of this process that are to stop now. An interrupted one has a while to end its turn by itself. */
const stopRuns = ({ live, serviceId, views }: Pick<LiveRunParts, "live" | "serviceId" | "views">) =>
  Effect.flatMap(views.runs.stopsRequested(serviceId), (requested) =>
    Effect.forEach(
      requested.filter(({ isOverdue }) => isOverdue),
      ({ id }) => live.stop(id),
      { discard: true },
    ),
  );
