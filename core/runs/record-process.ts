import type * as Effect from "effect/Effect";
import type { ProcessIdentity } from "../../ports/process-runner.ts";
import type { RunId } from "../model/shared/ids.ts";
import type { RecordOfRun } from "./run-records.ts";

/**
 * Stores the process of a run as soon as it is known. Returns false where the run has ended: another service considered
 * this one dead, and may have restarted the work.
 */
export const recordProcess =
  (record: RecordOfRun) =>
  (runId: RunId, process: ProcessIdentity): Effect.Effect<boolean> =>
    record({ runId, process });
