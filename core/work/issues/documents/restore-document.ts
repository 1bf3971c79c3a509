import * as Effect from "effect/Effect";
import type { Clock } from "../../../../ports/clock.ts";
import type { Ids } from "../../../../ports/ids.ts";
import type { Transactor } from "../../../../ports/transactor.ts";
import { transactAs } from "../../../access/transact-as.ts";
import {
  DocumentNotFound,
  DocumentRevisionNotFound,
  type Writing,
} from "../../../model/issues/documents/document.ts";
import type { DocumentRevisionId } from "../../../model/shared/ids.ts";
import { requireFileWriter } from "../require-issue-writer.ts";
import { openDocument, type TheDocument } from "./open-document.ts";
import { writeRevision } from "./write-revision.ts";

export interface RestoreDocument extends TheDocument {
  readonly revisionId: DocumentRevisionId;
  /** The id of the new revision. */
  readonly id: DocumentRevisionId;
}

/** Adds a new latest revision with the content of an earlier one. */
export const restoreDocument =
  (transactor: Transactor, clock: Clock, ids: Ids) => (command: RestoreDocument) =>
    transactAs(transactor, command.by, function* (stores) {
      const opened = yield* openDocument(stores, command);
      const { issue, current } = opened;
      if (current === null) return yield* Effect.fail(new DocumentNotFound());
      yield* requireFileWriter(stores, issue, command.by);
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
      return yield* writeRevision(stores, ids, opened, writing, {
        by,
        at: clock.now(),
        id: command.id,
        restored: revisionNumber,
      });
    });
