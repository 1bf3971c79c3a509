import { Cron } from "croner";
import { CronInvalid, TimezoneInvalid } from "../../core/model/routines/trigger.ts";
import type { Instant } from "../../core/model/shared/instant.ts";
import type { Calendar, CronSchedule } from "../../ports/calendar.ts";

/** Limit of cached schedules; those of a busy minute are mostly the same few. */
const maxCached = 1_000;

const nicknames = /^@(hourly|daily|midnight|weekly|monthly|yearly|annually)$/i;
/** croner accepts more than plain five-field cron: dates, `L`, `W`, `#`, `?`, `+`. */
const plainField = /^[0-9*,/-]+$/;
const months = /\b(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)\b/gi;
const weekdays = /\b(sun|mon|tue|wed|thu|fri|sat)\b/gi;

const isPlainCron = (expression: string): boolean => {
  const text = expression.trim();
  if (nicknames.test(text)) return true;
  const fields = text.split(/ +/);
  if (fields.length !== 5) return false;
  // A number replaces each name, so that croner judges where names may be.
  const [minute, hour, day, month, weekday] = fields as [string, string, string, string, string];
  return [minute, hour, day, month.replace(months, "1"), weekday.replace(weekdays, "1")].every((field) =>
    plainField.test(field),
  );
};

const isZone = (name: string): boolean => {
  // Rejects offsets: newer runtimes take them for zones, older ones do not.
  if (!/^[A-Za-z][A-Za-z0-9_+/-]*$/.test(name)) return false;
  try {
    new Intl.DateTimeFormat("en", { timeZone: name });
    return true;
  } catch {
    return false;
  }
};

const read = ({ cronExpression, timezone }: CronSchedule): Cron =>
  new Cron(cronExpression.trim(), {
    mode: "5-part",
    timezone,
    fixedTimeRule: "no-wildcard",
    domAndDow: needsBothDays(cronExpression),
  });

/**
 * A day has to match both day fields where one begins with `*`, and one of them otherwise: the rule of Vixie cron, which Debian and
 * most others have.
 */
const needsBothDays = (cronExpression: string): boolean => {
  const [, , day = "", , weekday = ""] = cronExpression.trim().split(/ +/);
  return day.startsWith("*") || weekday.startsWith("*");
};

/** Parsing an expression costs ten times as much as a step. */
export const cronerCalendar = (): Calendar => {
  const cached = new Map<string, Cron>();
  const cronOf = (schedule: CronSchedule): Cron => {
    const key = `${schedule.timezone} ${schedule.cronExpression}`;
    let cron = cached.get(key);
    if (cron === undefined) {
      if (cached.size >= maxCached) cached.clear();
      cron = read(schedule);
      cached.set(key, cron);
    }
    return cron;
  };
  const next = (schedule: CronSchedule, after: Instant): Instant | null =>
    cronOf(schedule).nextRun(new Date(after))?.toISOString() ?? null;
  return {
    refuse: (schedule) => {
      if (!isZone(schedule.timezone)) return new TimezoneInvalid({ path: ["timezone"] });
      if (!isPlainCron(schedule.cronExpression)) return new CronInvalid({ path: ["cronExpression"] });
      try {
        if (next(schedule, new Date().toISOString()) !== null) return null;
        return new CronInvalid({ path: ["cronExpression"] }, "No day ever matches the cron expression.");
      } catch {
        return new CronInvalid({ path: ["cronExpression"] });
      }
    },
    next,
  };
};
