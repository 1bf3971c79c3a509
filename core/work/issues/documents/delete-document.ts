import * as Effect from "effect/Effect";
import { useCase } from "../../../access/unit-of-work.ts";
import { DocumentNotFound } from "../../../model/issues/documents/document.ts";
import { IssueWakes } from "../../../queue/issue-wakes.ts";
import { expireInteractions } from "../interactions/expire-interactions.ts";
import { openDocument, type TheDocument } from "./open-document.ts";

/** Deletes a document with all its revisions. */
export const deleteDocument = useCase("issues.documents.delete", function* (unit, command: TheDocument) {
  const { issue, key, current } = yield* openDocument(unit, command);
  if (current === null) return yield* Effect.fail(new DocumentNotFound());
  const wakes = new IssueWakes(issue.companyId);
  yield* expireInteractions(unit, wakes, { documentId: current.id }, { reason: "stale_target" });
  yield* unit.documents.delete(current.id);
  yield* unit.issues.save({ ...issue, lastActivityAt: unit.at });
  yield* unit.log("issue.document_deleted", issue, { identifier: issue.identifier, key });
  yield* wakes.send(unit);
});
