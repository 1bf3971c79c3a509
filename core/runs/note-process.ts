import * as Effect from "effect/Effect";
import type { Clock } from "../../ports/clock.ts";
import type { ProcessIdentity } from "../../ports/process-runner.ts";
import type { Transactor } from "../../ports/transactor.ts";
import type { RunId } from "../shared/ids.ts";

/**
 * Stores the process of a run as soon as it is known. Returns false where the run has ended: another service considered
 * this one dead, and may have restarted the work.
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
