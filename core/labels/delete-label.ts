import type { Clock } from "../../ports/clock.ts";
import type { Transactor } from "../../ports/transactor.ts";
import type { Actor } from "../access/caller.ts";
import { transact } from "../access/transact-as.ts";
import { logAction } from "../activity/log-action.ts";
import type { LabelId } from "../shared/ids.ts";

export interface DeleteLabel {
  readonly labelId: LabelId;
  readonly by: Actor;
}

/** Deletes a label and removes it from every issue. */
export const deleteLabel = (transactor: Transactor, clock: Clock) => (command: DeleteLabel) =>
  transact(transactor, function* (stores) {
    const { companyId, id, name } = yield* stores.labels.lock(command.labelId);
    yield* stores.labels.delete(id);
    yield* logAction(stores, { companyId, id }, command.by, clock.now(), "label.deleted", { name });
  });
