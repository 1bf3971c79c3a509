import * as Effect from "effect/Effect";
import type { UnitOfWork } from "../../../access/unit-of-work.ts";
import { revise, type Writing } from "../../../model/issues/documents/document.ts";
import type { DocumentRevisionId } from "../../../model/shared/ids.ts";
import { IssueWakes } from "../../../queue/issue-wakes.ts";
import { expireInteractions } from "../interactions/expire-interactions.ts";
import type { Opened } from "./open-document.ts";

interface How {
  /** The id of the new revision; generated where it is missing. */
  readonly id?: DocumentRevisionId;
  /** The number of the restored revision, or null. */
  readonly restored: number | null;
}

export const writeRevision = Effect.fnUntraced(function* (
  unit: UnitOfWork,
  { issue, key, current }: Opened,
  writing: Writing,
  { id, restored }: How,
) {
  const before = current ?? {
    id: unit.newId<"document">(),
    companyId: issue.companyId,
    issueId: issue.id,
    key,
  };
  const { document, revision } = revise(
    before,
    writing,
    id ?? unit.newId<"document_revision">(),
    unit.by,
    unit.at,
  );
  if (current === null) yield* unit.documents.insert(document);
  else yield* unit.documents.save(document);
  yield* unit.documents.addRevision(revision);
  yield* unit.issues.save({ ...issue, lastActivityAt: unit.at });
  const { latestRevisionNumber: revisionNumber, latestRevisionId } = document;
  const details = { identifier: issue.identifier, key, revisionNumber };
  yield* restored === null
    ? unit.log("issue.document_saved", issue, details)
    : unit.log("issue.document_restored", issue, { ...details, fromRevisionNumber: restored });
  if (current !== null) {
    const staleTarget = { key, currentRevisionId: latestRevisionId, currentRevisionNumber: revisionNumber };
    const wakes = new IssueWakes(issue.companyId);
    yield* expireInteractions(
      unit,
      wakes,
      { documentId: document.id },
      { reason: "stale_target", more: { staleTarget } },
    );
    yield* wakes.send(unit);
  }
  return document;
});
