import * as Effect from "effect/Effect";
import type { Clock } from "../../../ports/clock.ts";
import type { Ids } from "../../../ports/ids.ts";
import type { Stores, Transactor } from "../../../ports/transactor.ts";
import type { Actor } from "../../access/caller.ts";
import type { DocumentRevisionId, IssueId } from "../../shared/ids.ts";
import type { Instant } from "../../shared/instant.ts";
import { refuseForeignPapers } from "../foreign-work.ts";
import { expireCards } from "../interactions/expire-cards.ts";
import type { Issue } from "../issue.ts";
import {
  type Document,
  DocumentNotFound,
  DocumentRevisionNotFound,
  documentKey,
  refuseStaleBase,
  revise,
  type Writing,
} from "./document.ts";

export interface TheDocument {
  readonly issueId: IssueId;
  readonly key: string;
  readonly by: Actor;
}

export interface PutDocument extends TheDocument {
  readonly title?: string | null | undefined;
  readonly format?: string | undefined;
  readonly body: string;
  readonly changeSummary?: string | undefined;
  /** The revision that was changed; missing where the document is new. */
  readonly baseRevisionId?: DocumentRevisionId | null | undefined;
}

export interface RestoreDocument extends TheDocument {
  readonly revisionId: DocumentRevisionId;
}

/** Creates the document or adds its next revision. What was to be confirmed of the revision before it has ended. */
const putDocument = (transactor: Transactor, clock: Clock, ids: Ids) => (command: PutDocument) =>
  transactor.transact((stores) =>
    Effect.gen(function* () {
      const opened = yield* open(stores, command);
      const { issue, current } = opened;
      yield* refuseForeignPapers(stores, issue, command.by);
      const stale = refuseStaleBase(current, command.baseRevisionId ?? null);
      if (stale !== null) yield* Effect.fail(stale);
      const writing: Writing = {
        title: command.title === undefined ? (current?.title ?? null) : command.title,
        format: command.format ?? current?.format ?? "markdown",
        body: command.body,
        changeSummary: command.changeSummary ?? null,
        restoredFromRevisionId: null,
      };
      return yield* write(stores, ids, opened, writing, { by: command.by, at: clock.now(), restored: null });
    }),
  );

/** Makes an earlier revision the latest again, as a new one. */
const restoreDocument = (transactor: Transactor, clock: Clock, ids: Ids) => (command: RestoreDocument) =>
  transactor.transact((stores) =>
    Effect.gen(function* () {
      const opened = yield* open(stores, command);
      const { issue, current } = opened;
      if (current === null) return yield* Effect.fail(new DocumentNotFound());
      yield* refuseForeignPapers(stores, issue, command.by);
      const earlier = yield* stores.documents.revision(current.id, command.revisionId);
      if (earlier === null) return yield* Effect.fail(new DocumentRevisionNotFound());
      const { title, format, body, revisionNumber } = earlier;
      const writing: Writing = {
        title,
        format,
        body,
        changeSummary: `Restored revision ${revisionNumber}`,
        restoredFromRevisionId: earlier.id,
      };
      const { by } = command;
      return yield* write(stores, ids, opened, writing, { by, at: clock.now(), restored: revisionNumber });
    }),
  );

/** Deletes the document with all its revisions. */
const deleteDocument = (transactor: Transactor, clock: Clock) => (command: TheDocument) =>
  transactor.transact((stores) =>
    Effect.gen(function* () {
      const { by } = command;
      const { issue, key, current } = yield* open(stores, command);
      if (current === null) return yield* Effect.fail(new DocumentNotFound());
      const at = clock.now();
      yield* expireCards(stores, { documentId: current.id }, { reason: "stale_target", by, at });
      yield* stores.documents.delete(current.id);
      yield* stores.issues.save({ ...issue, lastActivityAt: at });
      yield* stores.activity.append({
        companyId: issue.companyId,
        by,
        at,
        action: "issue.document_deleted",
        entityId: issue.id,
        details: { identifier: issue.identifier, key },
      });
    }),
  );

interface Opened {
  readonly issue: Issue;
  readonly key: string;
  /** null: the issue has none under the key. */
  readonly current: Document | null;
}

const open = Effect.fnUntraced(function* (stores: Stores, { issueId, key: text }: TheDocument) {
  const key = yield* Effect.fromResult(documentKey(text));
  const issue = yield* stores.issues.lock(issueId);
  const opened: Opened = { issue, key, current: yield* stores.documents.lock(issue.id, key) };
  return opened;
});

interface How {
  readonly by: Actor;
  readonly at: Instant;
  /** Number of the revision that is restored; null: of none. */
  readonly restored: number | null;
}

const write = Effect.fnUntraced(function* (
  stores: Stores,
  ids: Ids,
  { issue, key, current }: Opened,
  writing: Writing,
  { by, at, restored }: How,
) {
  const before = current ?? {
    id: ids.next<"document">(),
    companyId: issue.companyId,
    issueId: issue.id,
    key,
  };
  const { document, revision } = revise(before, writing, ids.next<"document_revision">(), by, at);
  if (current === null) yield* stores.documents.insert(document);
  else yield* stores.documents.save(document);
  yield* stores.documents.addRevision(revision);
  yield* stores.issues.save({ ...issue, lastActivityAt: at });
  const { latestRevisionNumber: revisionNumber, latestRevisionId } = document;
  yield* stores.activity.append({
    companyId: issue.companyId,
    by,
    at,
    entityId: issue.id,
    ...(restored === null
      ? { action: "issue.document_saved", details: { identifier: issue.identifier, key, revisionNumber } }
      : {
          action: "issue.document_restored",
          details: { identifier: issue.identifier, key, revisionNumber, fromRevisionNumber: restored },
        }),
  });
  if (current !== null) {
    const staleTarget = { key, currentRevisionId: latestRevisionId, currentRevisionNumber: revisionNumber };
    yield* expireCards(
      stores,
      { documentId: document.id },
      { reason: "stale_target", more: { staleTarget }, by, at },
    );
  }
  return document;
});

/** Everything that can be done to a document. */
export const documents = (transactor: Transactor, clock: Clock, ids: Ids) => ({
  put: putDocument(transactor, clock, ids),
  restore: restoreDocument(transactor, clock, ids),
  delete: deleteDocument(transactor, clock),
});
