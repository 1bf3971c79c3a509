import type * as Effect from "effect/Effect";
import type { Commit } from "../../../../ports/code-stores.ts";
import type { CommentView } from "../../../../ports/views/issue-views.ts";
import type { CursorInvalid, Page, PageRequest } from "../../../../ports/views/page.ts";
import type {
  CommentLocation,
  LineRange,
  LocationSide,
} from "../../../model/issues/comments/comment-location.ts";
import type { ChangesUnavailable } from "../../../model/repositories/issue-changes.ts";
import type { RepositoryNotFound } from "../../../model/repositories/repository.ts";
import type { ValidationFailed } from "../../../model/shared/failure.ts";
import type { IssueId, RepositoryId } from "../../../model/shared/ids.ts";

/** Lines of an issue's changes. */
export interface AskedLocation {
  readonly path?: string | undefined;
  readonly line?: number | undefined;
  /** Default: `line`. */
  readonly endLine?: number | undefined;
  /** Default: new. */
  readonly side?: LocationSide | undefined;
  /** Default: what the changes are compared of now. */
  readonly commit?: Commit | undefined;
  /** Needed where the issue has work in several. */
  readonly repositoryId?: RepositoryId | undefined;
}

/** A comment on lines, with where they are in what the changes show now. */
export interface LineComment extends CommentView {
  readonly location: CommentLocation;
  /** null: they are no longer there unchanged, or it is not known. */
  readonly now: (LineRange & { readonly path: string }) | null;
  /** The lines are changed or gone. */
  readonly isOutdated: boolean;
}

/** Finds lines of repositories, about which issues know nothing; `core/code` provides it. */
export interface LineComments {
  /** Reads the lines that a comment is about; null: it is about the issue. */
  find(
    issueId: IssueId,
    asked: AskedLocation,
  ): Effect.Effect<CommentLocation | null, ValidationFailed | ChangesUnavailable | RepositoryNotFound>;
  list(request: PageRequest & { readonly issueId: IssueId }): Effect.Effect<Page<LineComment>, CursorInvalid>;
}
