import type { Clock } from "../../ports/clock.ts";
import type { RunPlace } from "../../ports/process-runner.ts";
import type { Transactor } from "../../ports/transactor.ts";
import type { RunId } from "../shared/ids.ts";

/** Stores where the engine has put a run's program, or why it waits. */
export const notePlace = (transactor: Transactor, clock: Clock) => (runId: RunId, place: RunPlace) =>
  transactor.transact((stores) => stores.runs.notePlace(runId, place, clock.now()));
