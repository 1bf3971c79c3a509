import type { Clock } from "../../ports/clock.ts";
import type { Transactor } from "../../ports/transactor.ts";
import { createLabel } from "./create-label.ts";
import { deleteLabel } from "./delete-label.ts";

/** The use cases of labels. */
export const labels = (transactor: Transactor, clock: Clock) => ({
  create: createLabel(transactor, clock),
  delete: deleteLabel(transactor, clock),
});

export type Labels = ReturnType<typeof labels>;
