import { useCase } from "../../access/unit-of-work.ts";
import type { Actor } from "../../model/access/caller.ts";
import type { LabelId } from "../../model/shared/ids.ts";

export interface DeleteLabel {
  readonly labelId: LabelId;
  readonly by: Actor;
}

/** Deletes a label and removes it from every issue. */
export const deleteLabel = useCase("labels.delete", function* (unit, command: DeleteLabel) {
  const label = yield* unit.labels.lock(command.labelId);
  yield* unit.labels.delete(label.id);
  yield* unit.log("label.deleted", label, { name: label.name });
});
