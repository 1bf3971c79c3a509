import type { RunMove } from "../../ports/stores/run-store.ts";
import { systemUseCase } from "../access/unit-of-work.ts";

/**
 * Gives running runs of a service that is gone, whose programs live without it, to a service that continues them. Of several
 * that try each run goes to one.
 */
export const continueRuns = systemUseCase("runs.continue", function* (unit, move: RunMove) {
  const { at } = unit;
  const moved = yield* unit.runs.moveTo(move, at);
  if (moved.length > 0)
    yield* unit.runs.appendEvents(
      moved.map(({ id, companyId }) => ({
        companyId,
        runId: id,
        type: "lifecycle",
        level: "info",
        message: "The service was restarted. The program kept running.",
        at,
      })),
    );
  return moved;
});
