import type { AdapterRegistry } from "../../ports/adapter-registry.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Transactor } from "../../ports/transactor.ts";
import type { InboxViews } from "../../ports/views/inbox-views.ts";
import { dismissEntry, restoreEntry } from "./dismiss-entry.ts";
import { countInbox, showInbox } from "./show-inbox.ts";

/** Everything that can be done to what waits for people. */
export const inbox = (
  transactor: Transactor,
  views: InboxViews,
  adapters: AdapterRegistry,
  clock: Clock,
) => ({
  show: showInbox(views, adapters, clock),
  count: countInbox(views, adapters, clock),
  dismiss: dismissEntry(transactor, views, clock),
  restore: restoreEntry(transactor),
});

export type Inbox = ReturnType<typeof inbox>;
