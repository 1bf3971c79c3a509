import type { RunPlacement } from "../../ports/process-runner.ts";
import type { UseCaseContext } from "../access/unit-of-work.ts";
import type { RunId } from "../model/shared/ids.ts";

/** Stores where the engine has put a run's program, or why it waits. */
export const recordPlacement =
  ({ transactor, clock }: UseCaseContext) =>
  (runId: RunId, placement: RunPlacement) =>
    transactor.transact((stores) => stores.runs.recordPlacement(runId, placement, clock.now()));
