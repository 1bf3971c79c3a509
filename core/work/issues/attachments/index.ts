import type { UseCaseContext } from "../../../access/unit-of-work.ts";
import { addAttachment } from "./add-attachment.ts";
import { removeAttachment } from "./remove-attachment.ts";

/** The use cases of attachments. */
export const attachments = (context: UseCaseContext) => ({
  add: addAttachment(context),
  remove: removeAttachment(context),
});
