import type { BackupTaker } from "../../ports/backup-taker.ts";
import type { Calendar } from "../../ports/calendar.ts";
import type { Views } from "../../ports/views.ts";
import type { UseCaseContext } from "../access/unit-of-work.ts";
import type { BackupPlan } from "../model/backups/without-backup.ts";
import { requestBackup } from "./request-backup.ts";
import { showBackups } from "./show-backups.ts";
import { showProtection } from "./show-protection.ts";
import { takeDueBackup } from "./take-due-backup.ts";

/** The use cases of backups. */
export const backups = (
  context: UseCaseContext,
  views: Views,
  calendar: Calendar,
  taker: BackupTaker,
  plan: BackupPlan,
) => ({
  show: showBackups(views, context.clock, plan.schedule),
  showProtection: showProtection(views, context.clock, plan),
  request: requestBackup(calendar, plan)(context),
  takeDue: takeDueBackup(context, views, calendar, taker, plan.schedule),
});

export type Backups = ReturnType<typeof backups>;
