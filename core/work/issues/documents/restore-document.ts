import * as Effect from "effect/Effect";
import { useCase } from "../../../access/unit-of-work.ts";
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
export const restoreDocument = useCase(
  "issues.documents.restore",
  function* (unit, command: RestoreDocument) {
    const opened = yield* openDocument(unit, command);
    const { issue, current } = opened;
    if (current === null) return yield* Effect.fail(new DocumentNotFound());
    yield* requireFileWriter(unit, issue);
    const earlier = yield* unit.documents.revision(current.id, command.revisionId);
    if (earlier === null) return yield* Effect.fail(new DocumentRevisionNotFound());
    const { title, format, body, revisionNumber } = earlier;
    const writing: Writing = {
      title,
      format,
      body,
      changeSummary: `Restored revision ${revisionNumber}`,
      restoredFromRevisionId: earlier.id,
    };
    return yield* writeRevision(unit, opened, writing, { id: command.id, restored: revisionNumber });
  },
);
