import type { Clock } from "../../ports/clock.ts";
import type { RunPlacement } from "../../ports/process-runner.ts";
import type { Transactor } from "../../ports/transactor.ts";
import type { RunId } from "../model/shared/ids.ts";

/** Stores where the engine has put a run's program, or why it waits. */
export const notePlacement =
  (transactor: Transactor, clock: Clock) => (runId: RunId, placement: RunPlacement) =>
    transactor.transact((stores) => stores.runs.notePlacement(runId, placement, clock.now()));
