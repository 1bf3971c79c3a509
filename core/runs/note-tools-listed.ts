import type { Clock } from "../../ports/clock.ts";
import type { Transactor } from "../../ports/transactor.ts";
import type { RunId } from "../model/shared/ids.ts";

/** Stores that the program of a run has listed the service's tools. */
export const noteToolsListed = (transactor: Transactor, clock: Clock) => (runId: RunId) =>
  transactor.transact((stores) => stores.runs.noteToolsListed(runId, clock.now()));
