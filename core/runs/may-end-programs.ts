import { systemUseCase } from "../access/unit-of-work.ts";
import { isHeldAsRestored } from "../model/runs/restored.ts";

/** Whether services end programs of ended and lost runs: while a restored database is held, its original may still work. */
export const mayEndPrograms = systemUseCase("runs.mayEndPrograms", function* ({ services }) {
  return !isHeldAsRestored(yield* services.restored());
});
