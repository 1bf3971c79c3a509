import * as Effect from "effect/Effect";
import { requireRoom } from "../../../access/require-room.ts";
import { useCase } from "../../../access/unit-of-work.ts";
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
export const putDocument = useCase("issues.documents.put", function* (unit, command: PutDocument) {
  const opened = yield* openDocument(unit, command);
  const { issue, current } = opened;
  yield* requireFileWriter(unit, issue);
  const stale = refuseStaleBase(current, command.baseRevisionId ?? null);
  if (stale !== null) yield* Effect.fail(stale);
  if (current === null) yield* requireRoom(unit, "documents", issue.companyId, issue.id);
  const writing: Writing = {
    title: command.title === undefined ? (current?.title ?? null) : command.title,
    format: command.format ?? current?.format ?? "markdown",
    body: command.body,
    changeSummary: command.changeSummary ?? null,
    restoredFromRevisionId: null,
  };
  // Nothing changes: adds no revision and leaves the interactions about the current one pending.
  if (current !== null && saysAlready(current, writing)) return current;
  return yield* writeRevision(unit, opened, writing, { restored: null });
});
