import type * as Effect from "effect/Effect";
import type { Issue } from "../../core/issues/issue.ts";
import type { CompanyId } from "../../core/shared/ids.ts";
import type { CursorInvalid, Page, PageRequest } from "./page.ts";

/** An issue that was searched for, and where the words were found best. */
export interface IssueHit extends Issue {
  readonly rank: number;
  readonly matchedIn: "issue" | "comment" | "document";
  /** One line of Markdown: the words found are bold, and nothing else of the text is more than text. */
  readonly excerpt: string;
}

export interface SearchViews {
  /**
   * Best first. `words` are what people type into a search box: all of them, "as a phrase", `or`, `-not`; an identifier
   * finds its issue. Words without meaning, and what is only not to be found, find nothing.
   */
  issues(
    companyId: CompanyId,
    words: string,
    page: PageRequest,
  ): Effect.Effect<Page<IssueHit>, CursorInvalid>;
}
