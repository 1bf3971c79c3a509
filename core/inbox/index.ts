import type { AdapterRegistry } from "../../ports/adapter-registry.ts";
import type { Runners } from "../../ports/runners.ts";
import type { Views } from "../../ports/views.ts";
import type { UseCaseContext } from "../access/unit-of-work.ts";
import type { BackupPlan } from "../model/backups/without-backup.ts";
import { countInbox } from "./count-inbox.ts";
import { dismissEntry } from "./dismiss-entry.ts";
import { entriesOfInstance } from "./entries-of-instance.ts";
import { refusalsOfRequests } from "./refusals-of-requests.ts";
import { restoreEntry } from "./restore-entry.ts";
import { showInbox } from "./show-inbox.ts";

/** The use cases of the inbox. */
export const inbox = (
  context: UseCaseContext,
  views: Views,
  adapters: AdapterRegistry,
  plan: BackupPlan,
  runners: Runners,
) => ({
  show: showInbox(
    views.inbox,
    entriesOfInstance(views, adapters, plan),
    refusalsOfRequests(context, adapters, runners),
    context.clock,
  ),
  count: countInbox(views.inbox, entriesOfInstance(views, adapters, plan), context.clock),
  dismiss: dismissEntry(context, views.inbox),
  restore: restoreEntry(context),
});

export type Inbox = ReturnType<typeof inbox>;
