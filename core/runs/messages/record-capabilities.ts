import { systemUseCase } from "../../access/unit-of-work.ts";
import type { RunId } from "../../model/shared/ids.ts";

/** Stores that the program of a run takes messages of people, and interrupts or not. An event of the run says so once. */
export const recordCapabilities = systemUseCase(
  "runs.recordCapabilities",
  function* (unit, runId: RunId, takesInterrupt: boolean) {
    const [run] = yield* unit.runs.lockAll([runId]);
    if (run?.status !== "running") return;
    if (run.takesMessages && run.takesInterrupt === takesInterrupt) return;
    yield* unit.runs.recordCapabilities(runId, takesInterrupt);
    yield* unit.runs.appendEvents([
      {
        companyId: run.companyId,
        runId,
        type: "lifecycle",
        level: "info",
        message: takesInterrupt ? "accepts messages and can be interrupted" : "accepts messages",
        payload: { takesMessages: true, takesInterrupt },
        at: unit.at,
      },
    ]);
  },
);
