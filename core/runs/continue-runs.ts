import type { Clock } from "../../ports/clock.ts";
import type { RunMove } from "../../ports/stores/run-store.ts";
import type { Transactor } from "../../ports/transactor.ts";
import { transact } from "../access/transact-as.ts";

/**
 * Gives running runs of a service that is gone, whose programs live without it, to a service that continues them. Of several
 * that try each run goes to one.
 */
export const continueRuns = (transactor: Transactor, clock: Clock) => (move: RunMove) =>
  transact(transactor, function* (stores) {
    const at = clock.now();
    const moved = yield* stores.runs.moveTo(move, at);
    if (moved.length > 0)
      yield* stores.runs.appendEvents(
        moved.map(({ id, companyId }) => ({
          companyId,
          runId: id,
          type: "lifecycle",
          level: "info",
          message: "The service was restarted; its program continued meanwhile.",
          at,
        })),
      );
    return moved;
  });
