import type { Clock } from "../../../../ports/clock.ts";
import type { Ids } from "../../../../ports/ids.ts";
import type { Transactor } from "../../../../ports/transactor.ts";
import { addAttachment } from "./add-attachment.ts";
import { removeAttachment } from "./remove-attachment.ts";

/** The use cases of attachments. */
export const attachments = (transactor: Transactor, clock: Clock, ids: Ids) => ({
  add: addAttachment(transactor, clock, ids),
  remove: removeAttachment(transactor, clock),
});
