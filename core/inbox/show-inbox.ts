import * as Effect from "effect/Effect";
import type { Clock } from "../../ports/clock.ts";
import type { InboxFilter, InboxViews } from "../../ports/views/inbox-views.ts";
import type { PageRequest } from "../../ports/views/page.ts";
import type { BoardCaller } from "../model/access/caller.ts";
import { describeEntry, inboxScope } from "../model/inbox/inbox-entry.ts";
import type { CompanyId } from "../model/shared/ids.ts";
import type { entriesOfInstance } from "./entries-of-instance.ts";
import type { refusalsOfRequests } from "./refusals-of-requests.ts";

export interface ShowInbox extends InboxFilter {
  readonly caller: BoardCaller;
  /** null: all companies of the caller, and the instance for its admins. */
  readonly companyId: CompanyId | null;
}

/** Returns the caller's entries, oldest first; entries of the whole instance come first. */
export const showInbox =
  (
    views: InboxViews,
    ofInstance: ReturnType<typeof entriesOfInstance>,
    refusalsOf: ReturnType<typeof refusalsOfRequests>,
    clock: Clock,
  ) =>
  ({ caller, companyId, kinds, dismissed = false, ...page }: ShowInbox & PageRequest) =>
    Effect.gen(function* () {
      const { items, next } = yield* views.list(
        inboxScope(caller, companyId, clock.now()),
        { kinds, dismissed },
        page,
      );
      // Entries of the whole instance cannot be dismissed.
      const ofAll =
        page.cursor === undefined && !dismissed ? yield* ofInstance(caller, companyId, clock.now()) : [];
      const first = ofAll.filter(({ kind }) => kinds?.includes(kind) ?? true);
      const refusals = yield* refusalsOf(items);
      return {
        items: [
          ...first,
          ...items.map((fact) => ({ ...fact, requestRefusal: refusals.get(fact.id) ?? null })),
        ].map((fact) => describeEntry(fact, caller, clock.now())),
        next,
      };
    });
