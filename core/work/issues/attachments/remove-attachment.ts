import type { Clock } from "../../../../ports/clock.ts";
import type { Transactor } from "../../../../ports/transactor.ts";
import { logAction } from "../../../access/log-action.ts";
import { transactAs } from "../../../access/transact-as.ts";
import type { Actor } from "../../../model/access/caller.ts";
import type { AttachmentId } from "../../../model/shared/ids.ts";
import { requireFileWriter } from "../require-issue-writer.ts";

export interface RemoveAttachment {
  readonly attachmentId: AttachmentId;
  readonly by: Actor;
}

/** Removes an attachment. The next sweep deletes its bytes. */
export const removeAttachment = (transactor: Transactor, clock: Clock) => (command: RemoveAttachment) =>
  transactAs(transactor, command.by, function* (stores) {
    const { by } = command;
    const { id, issueId, assetId, blobKey } = yield* stores.files.lockAttachment(command.attachmentId);
    const issue = yield* stores.issues.lock(issueId);
    yield* requireFileWriter(stores, issue, by);
    const at = clock.now();
    yield* stores.files.deleteAttachment(id);
    yield* stores.files.deleteAsset(assetId);
    yield* stores.files.addLoose(blobKey, at);
    yield* stores.issues.save({ ...issue, lastActivityAt: at });
    yield* logAction(stores, issue, by, at, "issue.attachment_removed", {
      identifier: issue.identifier,
      attachmentId: id,
    });
  });
