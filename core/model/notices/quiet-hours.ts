import { addSeconds, type Instant } from "../shared/instant.ts";

/** A time of day, `HH:MM`. */
export type TimeOfDay = string;

export interface QuietHours {
  readonly from: TimeOfDay;
  readonly to: TimeOfDay;
}

/** A day and a time in a time zone. Both compare as text. */
export interface LocalTime {
  /** `YYYY-MM-DD`. */
  readonly day: string;
  readonly time: TimeOfDay;
}

const minutesPerDay = 1_440;

/** Whether the name is one of the IANA time zone database. */
export const isTimeZone = (name: string): boolean => {
  try {
    return Boolean(new Intl.DateTimeFormat("en-CA", { timeZone: name })) && !/^[+-]/.test(name);
  } catch {
    return false;
  }
};

/** Returns a function that tells the local time: a formatter takes long to make. */
const wallClock = (timeZone: string): ((at: Instant) => LocalTime) => {
  const format = new Intl.DateTimeFormat("en-CA", {
    timeZone,
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
  });
  return (at) => {
    const part = Object.fromEntries(
      format.formatToParts(new Date(at)).map(({ type, value }) => [type, value]),
    );
    return { day: `${part.year}-${part.month}-${part.day}`, time: `${part.hour}:${part.minute}` };
  };
};

export const localTime = (at: Instant, timeZone: string): LocalTime => wallClock(timeZone)(at);

/**
 * The first minute at or after the instant whose local time passes the test: a day has 23 to 25 hours where the clocks
 * change, so minutes are tried instead of computed. null: none within two days.
 */
export const firstMinute = (
  at: Instant,
  timeZone: string,
  passes: (local: LocalTime) => boolean,
): Instant | null => {
  const tell = wallClock(timeZone);
  if (passes(tell(at))) return at;
  const minute = `${at.slice(0, 16)}:00.000Z`;
  for (let n = 1; n <= 2 * minutesPerDay; n++) {
    const next = addSeconds(minute, n * 60);
    if (passes(tell(next))) return next;
  }
  return null;
};

const isQuiet = ({ from, to }: QuietHours, time: TimeOfDay): boolean =>
  from <= to ? from <= time && time < to : from <= time || time < to;

/** When the quiet hours that cover the instant end; null: none cover it. Equal times cover nothing. */
export const quietUntil = (at: Instant, hours: QuietHours | null, timeZone: string): Instant | null => {
  if (hours === null || hours.from === hours.to) return null;
  const end = firstMinute(at, timeZone, ({ time }) => !isQuiet(hours, time));
  return end === at ? null : end;
};
