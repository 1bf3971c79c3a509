import { useCase } from "../../../access/unit-of-work.ts";
import type { Actor } from "../../../model/access/caller.ts";
import type { AttachmentId } from "../../../model/shared/ids.ts";
import { requireFileWriter } from "../require-issue-writer.ts";

export interface RemoveAttachment {
  readonly attachmentId: AttachmentId;
  readonly by: Actor;
}

/** Removes an attachment. The next sweep deletes its bytes. */
export const removeAttachment = useCase(
  "issues.attachments.remove",
  function* (unit, command: RemoveAttachment) {
    const { id, issueId, assetId, blobKey } = yield* unit.files.lockAttachment(command.attachmentId);
    const issue = yield* unit.issues.lock(issueId);
    yield* requireFileWriter(unit, issue);
    yield* unit.files.deleteAttachment(id);
    yield* unit.files.deleteAsset(assetId);
    yield* unit.files.addLoose(blobKey, unit.at);
    yield* unit.issues.save({ ...issue, lastActivityAt: unit.at });
    yield* unit.log("issue.attachment_removed", issue, { identifier: issue.identifier, attachmentId: id });
  },
);
