import * as Effect from "effect/Effect";
import { useCase } from "../../../access/unit-of-work.ts";
import { type Actor, actingRun } from "../../../model/access/caller.ts";
import { type Attachment, FileEmpty, type ReceivedFile } from "../../../model/assets/asset.ts";
import { newAsset } from "../../../model/assets/new-asset.ts";
import { ReferenceNotFound } from "../../../model/shared/failure.ts";
import type { AttachmentId, CommentId, IssueId } from "../../../model/shared/ids.ts";
import { requireFileWriter } from "../require-issue-writer.ts";

export interface AddAttachment {
  readonly id: AttachmentId;
  readonly issueId: IssueId;
  readonly by: Actor;
  readonly file: ReceivedFile;
  /** The comment it belongs to. */
  readonly issueCommentId?: CommentId | undefined;
}

export const addAttachment = useCase("issues.attachments.add", function* (unit, command: AddAttachment) {
  const { file, issueCommentId = null } = command;
  if (file.byteSize === 0) yield* Effect.fail(new FileEmpty());
  const issue = yield* unit.issues.lock(command.issueId);
  yield* requireFileWriter(unit, issue);
  if (issueCommentId !== null && !(yield* unit.comments.isOf(issueCommentId, issue.id)))
    yield* Effect.fail(ReferenceNotFound.at("issueCommentId"));
  const asset = newAsset(
    file,
    { id: unit.newId<"asset">(), companyId: issue.companyId, purpose: "attachment" },
    unit.by,
    unit.at,
  );
  const attachment: Attachment = {
    id: command.id,
    companyId: issue.companyId,
    issueId: issue.id,
    issueCommentId,
    originatingRunId: actingRun(unit.by),
    assetId: asset.id,
    createdAt: unit.at,
  };
  yield* unit.files.takeIntoUse(file.blobKey);
  yield* unit.files.insertAsset(asset);
  yield* unit.files.insertAttachment(attachment);
  yield* unit.issues.save({ ...issue, lastActivityAt: unit.at });
  yield* unit.log("issue.attachment_added", issue, {
    identifier: issue.identifier,
    attachmentId: attachment.id,
    byteSize: asset.byteSize,
  });
});
