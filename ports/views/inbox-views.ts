import type * as Effect from "effect/Effect";
import type { InboxFact, InboxScope } from "../../core/inbox/inbox-entry.ts";
import type { CompanyId } from "../../core/shared/ids.ts";
import type { CursorInvalid, Page, PageRequest } from "./page.ts";

export interface InboxViews {
  /** What waits by the rights of the scope and was not put aside, oldest first. Archived companies are left out. */
  list(scope: InboxScope, page: PageRequest): Effect.Effect<Page<InboxFact>, CursorInvalid>;
  /** How many of them each company has; companies without any are left out. */
  counts(
    scope: InboxScope,
  ): Effect.Effect<readonly { readonly companyId: CompanyId | null; readonly waiting: number }[]>;
  /** One of them, put aside or not. */
  find(scope: InboxScope, entryId: string): Effect.Effect<InboxFact | null>;
}
