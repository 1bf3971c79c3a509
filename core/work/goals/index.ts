import type { UseCaseContext } from "../../access/unit-of-work.ts";
import { archiveGoal } from "./archive-goal.ts";
import { createGoal } from "./create-goal.ts";
import { updateGoal } from "./update-goal.ts";

/** The use cases of goals. */
export const goals = (context: UseCaseContext) => ({
  create: createGoal(context),
  update: updateGoal(context),
  archive: archiveGoal(context),
});

export type Goals = ReturnType<typeof goals>;
