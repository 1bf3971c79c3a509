import type { UseCaseContext } from "../access/unit-of-work.ts";
import type { RunId } from "../model/shared/ids.ts";

/** Stores that the program of a run has listed the service's tools. */
export const recordToolsListed =
  ({ transactor, clock }: UseCaseContext) =>
  (runId: RunId) =>
    transactor.transact((stores) => stores.runs.recordToolsListed(runId, clock.now()));
