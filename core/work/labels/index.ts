import type { UseCaseContext } from "../../access/unit-of-work.ts";
import { createLabel } from "./create-label.ts";
import { deleteLabel } from "./delete-label.ts";

/** The use cases of labels. */
export const labels = (context: UseCaseContext) => ({
  create: createLabel(context),
  delete: deleteLabel(context),
});

export type Labels = ReturnType<typeof labels>;
