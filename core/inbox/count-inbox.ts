import * as Effect from "effect/Effect";
import type { AdapterRegistry } from "../../ports/adapter-registry.ts";
import type { Clock } from "../../ports/clock.ts";
import type { InboxViews } from "../../ports/views/inbox-views.ts";
import type { BoardCaller } from "../access/caller.ts";
import type { CompanyId } from "../shared/ids.ts";
import { entriesOfInstance } from "./entries-of-instance.ts";
import { inboxScope } from "./inbox-entry.ts";

export interface CountInbox {
  readonly caller: BoardCaller;
  /** null: all companies of the caller, and the instance for its admins. */
  readonly companyId: CompanyId | null;
}

/** Counts the caller's entries by company; null is the instance. Companies without entries are left out. */
export const countInbox =
  (views: InboxViews, adapters: AdapterRegistry, clock: Clock) =>
  ({ caller, companyId }: CountInbox) =>
    Effect.map(views.counts(inboxScope(caller, companyId, clock.now())), (counts) => {
      const instance = entriesOfInstance(adapters, caller, companyId, clock.now()).length;
      return instance === 0 ? counts : [{ companyId: null, waiting: instance }, ...counts];
    });
