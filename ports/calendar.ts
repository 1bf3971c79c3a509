import type { CronInvalid, TimezoneInvalid } from "../core/routines/trigger.ts";
import type { Instant } from "../core/shared/instant.ts";

/** When a trigger fires: five fields of cron, read in an IANA time zone. */
export interface CronSchedule {
  readonly cronExpression: string;
  readonly timezone: string;
}

/**
 * Reads cron expressions. Where a zone's clock is put forward, a fixed time that is skipped comes at the first moment
 * after the gap; where it is put back, a fixed time that comes twice counts once. Schedules with a wildcard or a step in
 * their minutes or hours go on in real time on both days.
 */
export interface Calendar {
  /** Why no schedule can be made of it; null where one can. */
  refuse(schedule: CronSchedule): CronInvalid | TimezoneInvalid | null;
  /** The first tick strictly after the instant; null where there is none any more. */
  next(schedule: CronSchedule, after: Instant): Instant | null;
}
