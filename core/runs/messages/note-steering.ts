import type { Clock } from "../../../ports/clock.ts";
import type { Transactor } from "../../../ports/transactor.ts";
import { transact } from "../../access/transact-as.ts";
import type { RunId } from "../../model/shared/ids.ts";

/** Stores that the program of a run takes messages of people, and interrupts or not. An event of the run says so once. */
export const noteSteering =
  (transactor: Transactor, clock: Clock) => (runId: RunId, takesInterrupt: boolean) =>
    transact(transactor, function* (stores) {
      const [run] = yield* stores.runs.lockAll([runId]);
      if (run?.status !== "running") return;
      if (run.takesMessages && run.takesInterrupt === takesInterrupt) return;
      yield* stores.runs.noteSteering(runId, takesInterrupt);
      yield* stores.runs.appendEvents([
        {
          companyId: run.companyId,
          runId,
          type: "lifecycle",
          level: "info",
          message: takesInterrupt ? "takes messages, and can be interrupted" : "takes messages",
          payload: { takesMessages: true, takesInterrupt },
          at: clock.now(),
        },
      ]);
    });
