import type { AdapterRegistry } from "../../ports/adapter-registry.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Ids } from "../../ports/ids.ts";
import type { Runners } from "../../ports/runners.ts";
import type { Transactor } from "../../ports/transactor.ts";
import type { Views } from "../../ports/views.ts";
import type { BackupSchedule } from "../model/backups/backup-schedule.ts";
import { countInbox } from "./count-inbox.ts";
import { dismissEntry } from "./dismiss-entry.ts";
import { entriesOfInstance } from "./entries-of-instance.ts";
import { refusalsOfRequests } from "./refusals-of-requests.ts";
import { restoreEntry } from "./restore-entry.ts";
import { showInbox } from "./show-inbox.ts";

/** The use cases of the inbox. */
export const inbox = (
  transactor: Transactor,
  views: Views,
  adapters: AdapterRegistry,
  clock: Clock,
  schedule: BackupSchedule | null,
  ids: Ids,
  runners: Runners,
) => ({
  show: showInbox(
    views.inbox,
    entriesOfInstance(views, adapters, schedule),
    refusalsOfRequests(transactor, ids, views, adapters, runners),
    clock,
  ),
  count: countInbox(views.inbox, entriesOfInstance(views, adapters, schedule), clock),
  dismiss: dismissEntry(transactor, views.inbox, clock),
  restore: restoreEntry(transactor),
});

export type Inbox = ReturnType<typeof inbox>;
