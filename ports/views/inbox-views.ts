import type * as Effect from "effect/Effect";
import type { InboxFact, InboxScope } from "../../core/model/inbox/inbox-entry.ts";
import type { InboxKind } from "../../core/model/inbox/inbox-kind.ts";
import type { CompanyId } from "../../core/model/shared/ids.ts";
import type { CursorInvalid, Page, PageRequest } from "./page.ts";

export interface InboxFilter {
  /** undefined: of all kinds. */
  readonly kinds?: readonly InboxKind[] | undefined;
  /** true: only what the person has dismissed and what has not changed since; else what is left. */
  readonly dismissed?: boolean | undefined;
}

export interface InboxCount {
  readonly companyId: CompanyId | null;
  readonly waiting: number;
  /** How many of them are news. */
  readonly news: number;
}

export interface InboxViews {
  /** Entries that the rights of the scope and the filter allow, oldest first. Omits archived companies. */
  list(
    scope: InboxScope,
    filter: InboxFilter,
    page: PageRequest,
  ): Effect.Effect<Page<InboxFact>, CursorInvalid>;
  /** Number of entries per company; omits companies without any. */
  counts(scope: InboxScope): Effect.Effect<readonly InboxCount[]>;
  /** Returns one entry, dismissed or not. */
  find(scope: InboxScope, entryId: string): Effect.Effect<Pick<InboxFact, "kind" | "version"> | null>;
}
