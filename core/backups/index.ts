import type { BackupTaker } from "../../ports/backup-taker.ts";
import type { Calendar } from "../../ports/calendar.ts";
import type { Views } from "../../ports/views.ts";
import type { UseCaseContext } from "../access/unit-of-work.ts";
import type { BackupSchedule } from "../model/backups/backup-schedule.ts";
import { showBackups } from "./show-backups.ts";
import { takeDueBackup } from "./take-due-backup.ts";

/** The use cases of scheduled backups. */
export const backups = (
  context: UseCaseContext,
  views: Views,
  calendar: Calendar,
  taker: BackupTaker,
  schedule: BackupSchedule | null,
) => ({
  show: showBackups(views, context.clock, schedule),
  takeDue: takeDueBackup(context, views, calendar, taker, schedule),
});

export type Backups = ReturnType<typeof backups>;
