import type { CronInvalid, TimezoneInvalid } from "../core/model/routines/trigger.ts";
import type { Instant } from "../core/model/shared/instant.ts";

/** When a trigger fires: five-field cron in an IANA time zone. */
export interface CronSchedule {
  readonly cronExpression: string;
  readonly timezone: string;
}

/**
 * Evaluates cron expressions. When a zone's clock goes forward, a skipped fixed time fires at the first moment after
 * the gap; when it goes back, a fixed time that occurs twice fires once. Schedules with a wildcard or a step in their
 * minutes or hours follow real time on both days.
 */
export interface Calendar {
  /** Returns why the schedule is invalid; null where it is valid. */
  refuse(schedule: CronSchedule): CronInvalid | TimezoneInvalid | null;
  /** Returns the first tick strictly after the instant; null if none exists. */
  next(schedule: CronSchedule, after: Instant): Instant | null;
}
