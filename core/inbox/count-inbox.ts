import * as Effect from "effect/Effect";
import type { Clock } from "../../ports/clock.ts";
import type { InboxViews } from "../../ports/views/inbox-views.ts";
import type { BoardCaller } from "../model/access/caller.ts";
import { inboxScope } from "../model/inbox/inbox-entry.ts";
import type { CompanyId } from "../model/shared/ids.ts";
import type { entriesOfInstance } from "./entries-of-instance.ts";

export interface CountInbox {
  readonly caller: BoardCaller;
  /** null: all companies of the caller, and the instance for its admins. */
  readonly companyId: CompanyId | null;
}

/** Counts the caller's entries by company; null is the instance. Companies without entries are omitted. */
export const countInbox =
  (views: InboxViews, ofInstance: ReturnType<typeof entriesOfInstance>, clock: Clock) =>
  ({ caller, companyId }: CountInbox) =>
    Effect.gen(function* () {
      const counts = yield* views.counts(inboxScope(caller, companyId, clock.now()));
      const { length } = yield* ofInstance(caller, companyId, clock.now());
      return length === 0 ? counts : [{ companyId: null, waiting: length, news: 0 }, ...counts];
    });
