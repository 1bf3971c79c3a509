import * as Effect from "effect/Effect";
import type { Clock } from "../../../../ports/clock.ts";
import type { Ids } from "../../../../ports/ids.ts";
import type { Transactor } from "../../../../ports/transactor.ts";
import { logAction } from "../../../access/log-action.ts";
import { transactAs } from "../../../access/transact-as.ts";
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

export const addAttachment = (transactor: Transactor, clock: Clock, ids: Ids) => (command: AddAttachment) =>
  transactAs(transactor, command.by, function* (stores) {
    const { by, file, issueCommentId = null } = command;
    if (file.byteSize === 0) yield* Effect.fail(new FileEmpty());
    const issue = yield* stores.issues.lock(command.issueId);
    yield* requireFileWriter(stores, issue, by);
    if (issueCommentId !== null && !(yield* stores.comments.isOf(issueCommentId, issue.id)))
      yield* Effect.fail(ReferenceNotFound.at("issueCommentId"));
    const at = clock.now();
    const asset = newAsset(file, "attachment", ids.next<"asset">(), issue.companyId, by, at);
    const attachment: Attachment = {
      id: command.id,
      companyId: issue.companyId,
      issueId: issue.id,
      issueCommentId,
      originatingRunId: actingRun(by),
      assetId: asset.id,
      createdAt: at,
    };
    yield* stores.files.takeIntoUse(file.blobKey);
    yield* stores.files.insertAsset(asset);
    yield* stores.files.insertAttachment(attachment);
    yield* stores.issues.save({ ...issue, lastActivityAt: at });
    yield* logAction(stores, issue, by, at, "issue.attachment_added", {
      identifier: issue.identifier,
      attachmentId: attachment.id,
      byteSize: asset.byteSize,
    });
  });
