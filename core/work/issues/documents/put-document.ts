import * as Effect from "effect/Effect";
import type { Clock } from "../../../../ports/clock.ts";
import type { Ids } from "../../../../ports/ids.ts";
import type { Transactor } from "../../../../ports/transactor.ts";
import { transactAs } from "../../../access/transact-as.ts";
import { refuseStaleBase, saysAlready, type Writing } from "../../../model/issues/documents/document.ts";
import type { DocumentRevisionId } from "../../../model/shared/ids.ts";
import { requireFileWriter } from "../require-issue-writer.ts";
import { openDocument, type TheDocument } from "./open-document.ts";
import { writeRevision } from "./write-revision.ts";

export interface PutDocument extends TheDocument {
  readonly title?: string | null | undefined;
  readonly format?: string | undefined;
  readonly body: string;
  readonly changeSummary?: string | undefined;
  /** The revision that was changed; missing for a new document. */
  readonly baseRevisionId?: DocumentRevisionId | null | undefined;
}

/** Creates the document or adds its next revision. Expires the interactions that confirm an earlier revision. */
export const putDocument = (transactor: Transactor, clock: Clock, ids: Ids) => (command: PutDocument) =>
  transactAs(transactor, command.by, function* (stores) {
    const opened = yield* openDocument(stores, command);
    const { issue, current } = opened;
    yield* requireFileWriter(stores, issue, command.by);
    const stale = refuseStaleBase(current, command.baseRevisionId ?? null);
    if (stale !== null) yield* Effect.fail(stale);
    const writing: Writing = {
      title: command.title === undefined ? (current?.title ?? null) : command.title,
      format: command.format ?? current?.format ?? "markdown",
      body: command.body,
      changeSummary: command.changeSummary ?? null,
      restoredFromRevisionId: null,
    };
    // Nothing changes: adds no revision and keeps the interactions about the current one pending.
    if (current !== null && saysAlready(current, writing)) return current;
    return yield* writeRevision(stores, ids, opened, writing, {
      by: command.by,
      at: clock.now(),
      restored: null,
    });
  });
