import * as Effect from "effect/Effect";
import type { Ids } from "../../../../ports/ids.ts";
import type { Stores } from "../../../../ports/transactor.ts";
import { logAction } from "../../../access/log-action.ts";
import type { Actor } from "../../../model/access/caller.ts";
import { revise, type Writing } from "../../../model/issues/documents/document.ts";
import type { DocumentRevisionId } from "../../../model/shared/ids.ts";
import type { Instant } from "../../../model/shared/instant.ts";
import { IssueWakes } from "../../../queue/issue-wakes.ts";
import { expireInteractions } from "../interactions/expire-interactions.ts";
import type { Opened } from "./open-document.ts";

interface How {
  /** The id of the new revision; generated where it is missing. */
  readonly id?: DocumentRevisionId;
  readonly by: Actor;
  readonly at: Instant;
  /** The number of the restored revision, or null. */
  readonly restored: number | null;
}

export const writeRevision = Effect.fnUntraced(function* (
  stores: Stores,
  ids: Ids,
  { issue, key, current }: Opened,
  writing: Writing,
  { id, by, at, restored }: How,
) {
  const before = current ?? {
    id: ids.next<"document">(),
    companyId: issue.companyId,
    issueId: issue.id,
    key,
  };
  const { document, revision } = revise(before, writing, id ?? ids.next<"document_revision">(), by, at);
  if (current === null) yield* stores.documents.insert(document);
  else yield* stores.documents.save(document);
  yield* stores.documents.addRevision(revision);
  yield* stores.issues.save({ ...issue, lastActivityAt: at });
  const { latestRevisionNumber: revisionNumber, latestRevisionId } = document;
  const details = { identifier: issue.identifier, key, revisionNumber };
  yield* restored === null
    ? logAction(stores, issue, by, at, "issue.document_saved", details)
    : logAction(stores, issue, by, at, "issue.document_restored", {
        ...details,
        fromRevisionNumber: restored,
      });
  if (current !== null) {
    const staleTarget = { key, currentRevisionId: latestRevisionId, currentRevisionNumber: revisionNumber };
    const wakes = new IssueWakes(issue.companyId, by, at);
    yield* expireInteractions(
      stores,
      wakes,
      { documentId: document.id },
      { reason: "stale_target", more: { staleTarget }, by, at },
    );
    yield* wakes.send(stores, ids);
  }
  return document;
});
