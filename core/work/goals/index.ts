import type { Clock } from "../../../ports/clock.ts";
import type { Transactor } from "../../../ports/transactor.ts";
import { archiveGoal } from "./archive-goal.ts";
import { createGoal } from "./create-goal.ts";
import { updateGoal } from "./update-goal.ts";

/** The use cases of goals. */
export const goals = (transactor: Transactor, clock: Clock) => ({
  create: createGoal(transactor, clock),
  update: updateGoal(transactor, clock),
  archive: archiveGoal(transactor, clock),
});

export type Goals = ReturnType<typeof goals>;
