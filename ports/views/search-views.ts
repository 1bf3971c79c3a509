import type * as Effect from "effect/Effect";
import type { Issue } from "../../core/model/issues/issue.ts";
import type { CompanyId } from "../../core/model/shared/ids.ts";
import type { CursorInvalid, Page, PageRequest } from "./page.ts";

/** An issue found by a search, with its best match. */
export interface IssueHit extends Issue {
  readonly rank: number;
  readonly matchedIn: "issue" | "comment" | "document";
  /** One line of Markdown: matched words are bold, all other text is escaped. */
  readonly excerpt: string;
}

export interface SearchViews {
  /**
   * Best match first. `words` is search input: all words, "as a phrase", `or`, `-not`; an identifier finds its issue.
   * Stop words, and negated words alone, find nothing.
   */
  issues(
    companyId: CompanyId,
    words: string,
    page: PageRequest,
  ): Effect.Effect<Page<IssueHit>, CursorInvalid>;
}
