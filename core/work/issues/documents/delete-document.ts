import * as Effect from "effect/Effect";
import type { Clock } from "../../../../ports/clock.ts";
import type { Ids } from "../../../../ports/ids.ts";
import type { Transactor } from "../../../../ports/transactor.ts";
import { logAction } from "../../../access/log-action.ts";
import { transact } from "../../../access/transact-as.ts";
import { DocumentNotFound } from "../../../model/issues/documents/document.ts";
import { IssueWakes } from "../../../queue/issue-wakes.ts";
import { expireInteractions } from "../interactions/expire-interactions.ts";
import { openDocument, type TheDocument } from "./open-document.ts";

/** Deletes a document with all its revisions. */
export const deleteDocument = (transactor: Transactor, clock: Clock, ids: Ids) => (command: TheDocument) =>
  transact(transactor, function* (stores) {
    const { by } = command;
    const { issue, key, current } = yield* openDocument(stores, command);
    if (current === null) return yield* Effect.fail(new DocumentNotFound());
    const at = clock.now();
    const wakes = new IssueWakes(issue.companyId, by, at);
    yield* expireInteractions(stores, wakes, { documentId: current.id }, { reason: "stale_target", by, at });
    yield* stores.documents.delete(current.id);
    yield* stores.issues.save({ ...issue, lastActivityAt: at });
    yield* logAction(stores, issue, by, at, "issue.document_deleted", {
      identifier: issue.identifier,
      key,
    });
    yield* wakes.send(stores, ids);
  });
