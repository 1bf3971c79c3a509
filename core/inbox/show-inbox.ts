import * as Effect from "effect/Effect";
import type { AdapterRegistry } from "../../ports/adapter-registry.ts";
import type { Clock } from "../../ports/clock.ts";
import type { InboxViews } from "../../ports/views/inbox-views.ts";
import type { PageRequest } from "../../ports/views/page.ts";
import type { BoardCaller } from "../access/caller.ts";
import type { CompanyId } from "../shared/ids.ts";
import { entriesOfInstance } from "./entries-of-instance.ts";
import { describeEntry, inboxScope } from "./inbox-entry.ts";

export interface ShowInbox {
  readonly caller: BoardCaller;
  /** null: all companies of the caller, and the instance for its admins. */
  readonly companyId: CompanyId | null;
}

/** Returns the caller's entries, oldest first; entries of the whole instance come first. */
export const showInbox =
  (views: InboxViews, adapters: AdapterRegistry, clock: Clock) =>
  ({ caller, companyId, ...page }: ShowInbox & PageRequest) =>
    Effect.map(views.list(inboxScope(caller, companyId, clock.now()), page), ({ items, next }) => ({
      items: [
        ...(page.cursor === undefined ? entriesOfInstance(adapters, caller, companyId, clock.now()) : []),
        ...items,
      ].map((fact) => describeEntry(fact, caller, clock.now())),
      next,
    }));
