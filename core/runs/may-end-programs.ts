import type { Transactor } from "../../ports/transactor.ts";
import { transact } from "../access/transact-as.ts";
import { isHeldAsRestored } from "../model/runs/restored.ts";

/** Whether services end programs of ended and lost runs: while a restored database is held, its original may still work. */
export const mayEndPrograms = (transactor: Transactor) => () =>
  transact(transactor, function* ({ services }) {
    return !isHeldAsRestored(yield* services.restored());
  });
