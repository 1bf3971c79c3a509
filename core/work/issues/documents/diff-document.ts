import * as Effect from "effect/Effect";
import type { Views } from "../../../../ports/views.ts";
import { documentKey } from "../../../model/issues/documents/document.ts";
import { unifiedDiff } from "../../../model/issues/documents/unified-diff.ts";
import type { DocumentRevisionId, IssueId } from "../../../model/shared/ids.ts";

export interface DiffDocument {
  readonly issueId: IssueId;
  readonly key: string;
  /** An id or number. Default: the revision before `to`. */
  readonly from?: DocumentRevisionId | number | undefined;
  /** An id or number. Default: the latest. */
  readonly to?: DocumentRevisionId | number | undefined;
}

/** Returns the difference of two revisions of a document as a unified diff. */
export const diffDocument = (views: Views) =>
  Effect.fnUntraced(function* ({ issueId, from, to, ...asked }: DiffDocument) {
    const key = yield* Effect.fromResult(documentKey(asked.key));
    const latest = yield* views.thread.document(issueId, key);
    const after = yield* views.thread.revision(issueId, key, to ?? latest.latestRevisionId);
    const before =
      after.revisionNumber === 1 && from === undefined
        ? { revisionNumber: 0, body: "" }
        : yield* views.thread.revision(issueId, key, from ?? after.revisionNumber - 1);
    const side = ({ revisionNumber, body }: typeof before) => ({
      name: `${key} (revision ${revisionNumber})`,
      text: body,
    });
    return yield* Effect.fromResult(unifiedDiff(side(before), side(after)));
  });
