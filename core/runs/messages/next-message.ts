import type { UseCaseContext } from "../../access/unit-of-work.ts";
import type { RunId, RunMessageId } from "../../model/shared/ids.ts";

/**
 * Marks the next message for a run's program as handed over, before the program gets it: from then on it is unknown
 * whether the program has it, until it says so. null: none waits. `known`: those that the caller has had; the one whose
 * answer was lost comes again.
 */
export const nextMessage =
  ({ transactor, clock }: UseCaseContext) =>
  (runId: RunId, known: readonly RunMessageId[]) =>
    transactor.transact((stores) => stores.runMessages.handNext(runId, known, clock.now()));
