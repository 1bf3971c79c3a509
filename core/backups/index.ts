import type { BackupTaker } from "../../ports/backup-taker.ts";
import type { Calendar } from "../../ports/calendar.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Transactor } from "../../ports/transactor.ts";
import type { Views } from "../../ports/views.ts";
import type { BackupSchedule } from "../model/backups/backup-schedule.ts";
import { showBackups } from "./show-backups.ts";
import { takeDueBackup } from "./take-due-backup.ts";

/** The use cases of scheduled backups. */
export const backups = (
  transactor: Transactor,
  views: Views,
  clock: Clock,
  calendar: Calendar,
  taker: BackupTaker,
  schedule: BackupSchedule | null,
) => ({
  show: showBackups(views, clock, schedule),
  takeDue: takeDueBackup(transactor, views, clock, calendar, taker, schedule),
});

export type Backups = ReturnType<typeof backups>;
