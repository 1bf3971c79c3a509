import * as Effect from "effect/Effect";
import type { Stores } from "../../../../ports/transactor.ts";
import type { Actor } from "../../../model/access/caller.ts";
import { type Document, documentKey } from "../../../model/issues/documents/document.ts";
import type { Issue } from "../../../model/issues/issue.ts";
import type { IssueId } from "../../../model/shared/ids.ts";

export interface TheDocument {
  readonly issueId: IssueId;
  readonly key: string;
  readonly by: Actor;
}

export interface Opened {
  readonly issue: Issue;
  readonly key: string;
  /** null: the issue has no document under the key. */
  readonly current: Document | null;
}

export const openDocument = Effect.fnUntraced(function* (
  stores: Stores,
  { issueId, key: text }: TheDocument,
) {
  const key = yield* Effect.fromResult(documentKey(text));
  const issue = yield* stores.issues.lock(issueId);
  const opened: Opened = { issue, key, current: yield* stores.documents.lock(issue.id, key) };
  return opened;
});
