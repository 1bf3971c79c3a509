import * as Effect from "effect/Effect";
import * as Queue from "effect/Queue";
import type { Caps } from "../../core/model/runs/gate.ts";
import type { ServiceId, VolumeId } from "../../core/model/shared/ids.ts";
import type { Claim } from "../../core/runs/claim-runs.ts";
import type { Runs } from "../../core/runs/index.ts";
import type { AdapterRegistry } from "../../ports/adapter-registry.ts";
import type { Runners } from "../../ports/runners.ts";
import type { Views } from "../../ports/views.ts";
import type { LastRound } from "./last-round.ts";
import type { LiveRuns } from "./live-runs.ts";
import type { OpenQuestions } from "./open-questions.ts";
import type { OpenWords } from "./open-words.ts";

export interface ClaimParts {
  readonly serviceId: ServiceId;
  readonly volume: { readonly id: VolumeId };
  readonly runs: Pick<Runs, "claim">;
  readonly views: Pick<Views, "runs">;
  readonly adapters: Pick<AdapterRegistry, "loaded">;
  readonly runners: Pick<Runners, "all" | "usual">;
  readonly caps: Caps;
  readonly live: LiveRuns;
  readonly lastRound: LastRound;
  readonly questions: Pick<OpenQuestions, "check">;
  readonly words: Pick<OpenWords, "check">;
  /** Signals that there is work. */
  readonly work: Queue.Dequeue<void>;
}

/** How many runs one transaction claims at most. */
const batch = 20;
/** The maximum delay of a wake that no signal announces. */
const pollMs = 2_000;

/** Stops runs, hands them answers and claims runs once, then waits for work. */
export const claimRound = (parts: ClaimParts) =>
  Effect.gen(function* () {
    const { live, questions, words, runs, serviceId } = parts;
    const stop = Effect.flatMap(parts.views.runs.stopsRequested(serviceId), (requested) =>
      Effect.forEach(
        // The program of an interrupted run ends its turn by itself, for a while.
        requested.filter(({ isOverdue }) => isOverdue),
        ({ id }) => live.stop(id),
        { discard: true },
      ),
    );
    const start = ({ claimed, mayBeMore }: Claim) =>
      Effect.as(Effect.forEach(claimed, live.start, { discard: true }), claimed.length > 0 && mayBeMore);
    let again: boolean;
    do {
      const loaded = [...parts.adapters.loaded().values()];
      const claim = runs.claim({
        serviceId,
        adapterTypes: loaded.map(({ type }) => type),
        typesWithoutFiles: loaded.filter(({ keepsFiles }) => !keepsFiles).map(({ type }) => type),
        runners: new Map(
          // Runs wait where there is no room for what they would write.
          parts.runners.all
            .filter((runner) => runner.isDiskFull?.() !== true)
            .map(({ name, processes: { scope }, volume }) => [name, { scope, volume }]),
        ),
        volume: parts.volume.id,
        usualRunner: parts.runners.usual,
        limit: batch,
        caps: parts.caps,
      });
      // A service that stops after the commit starts what it claimed, and then stops it: nobody else carries it out.
      const claimAndStart = Effect.uninterruptible(Effect.flatMap(claim, start));
      // A start waits for nothing but its claim, and a stop for no claim that fails.
      again = yield* Effect.ensuring(
        claimAndStart,
        Effect.andThen(stop, Effect.andThen(questions.check, words.check)),
      );
    } while (again);
    parts.lastRound.note();
    yield* Effect.raceFirst(Queue.take(parts.work), Effect.sleep(pollMs));
  });
