import * as Effect from "effect/Effect";
import type { Clock } from "../../ports/clock.ts";
import type { ProcessIdentity } from "../../ports/process-runner.ts";
import type { Transactor } from "../../ports/transactor.ts";
import type { RunId } from "../shared/ids.ts";

/**
 * Stores which process a run is, as soon as that is known. False where the run has ended meanwhile: another service took
 * this one for dead, and may have begun the work again.
 */
export const noteProcess =
  (transactor: Transactor, clock: Clock) => (runId: RunId, identity: ProcessIdentity) =>
    transactor.transact((stores) =>
      Effect.gen(function* () {
        if (!(yield* stores.runs.isActive(runId))) return false;
        yield* stores.runs.noteProcess(runId, identity, clock.now());
        return true;
      }),
    );
