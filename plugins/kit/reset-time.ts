/**
 * Finds when a provider's limit ends, in its message: "resets 3pm (Europe/Berlin)", "resets Nov 24, 10am
 * (UTC)", "limit reached|1763712000", "try again in 2 hours 5 minutes". null when the message does not tell.
 */
export const resetTime = (text: string, now: Date): Date | null =>
  epochTime(text) ?? duration(text, now) ?? clockTime(text, now);

/** Seconds since 1970, as in a header or after a bar. */
export const fromEpochSeconds = (value: unknown): Date | null =>
  typeof value === "number" && value > 1e9 && value < 1e11 ? new Date(value * 1000) : null;

const epochTime = (text: string): Date | null => {
  const found = /\|\s*(\d{10})\b/.exec(text);
  return found === null ? null : fromEpochSeconds(Number(found[1]));
};

/** Later times are not plausible. */
const maxAheadMs = 366 * 86_400_000;
/** A time this recently past was in the future when the provider sent it. */
const justPassedMs = 10 * 60_000;

const unitMs: Readonly<Record<string, number>> = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1_000 };

const duration = (text: string, now: Date): Date | null => {
  const found =
    /\b(?:again|resets?|retry|available)\s+(?:in|after)\s+((?:\d+\s*[a-z]+[\s,]*(?:and\s+)?)+)/i.exec(text);
  if (found === null) return null;
  let ms = 0;
  for (const [, amount, unit = ""] of (found[1] ?? "").matchAll(/(\d+)\s*([a-z]+)/gi)) {
    const size = /^(d|days?|h|hrs?|hours?|m|mins?|minutes?|s|secs?|seconds?)$/i.test(unit)
      ? unitMs[unit[0]?.toLowerCase() ?? ""]
      : undefined;
    if (size === undefined) break;
    ms += Number(amount) * size;
  }
  return ms > 0 && ms < maxAheadMs ? new Date(now.getTime() + ms) : null;
};

const months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

/** "3pm", "15:00", "3:30 p.m.": a bare number is no time of day. */
const timeOfDay =
  /(?<hour>\d{1,2})(?:(?::(?<minute>\d{2}))?\s*(?<half>[ap])\.?m?\.?(?![a-z])|:(?<minute24>\d{2}))/;
/** "Nov 24", "November 24th, 2026". */
const date = /(?<month>[a-z]{3})[a-z]*\.?\s+(?<day>\d{1,2})(?:st|nd|rd|th)?(?:,?\s+(?<year>\d{4}))?/;
const clock = new RegExp(
  `\\b(?:resets?|again|until)\\s+(?:at\\s+|on\\s+)?(?:${date.source}(?:,|\\s+at)?\\s+)?${timeOfDay.source}(?:\\s*\\((?<zone>[\\w/+-]+)\\))?`,
  "i",
);

const clockTime = (text: string, now: Date): Date | null => {
  const found = clock.exec(text)?.groups;
  if (found === undefined) return null;
  const time = timeIn(found);
  if (time === null) return null;
  const zone = knownZone(found.zone);
  return found.month === undefined ? nextTime(time, zone, now) : onDate(found, time, zone, now);
};

interface Time {
  readonly hour: number;
  readonly minute: number;
}

const timeIn = ({ hour: hourText, minute, minute24, half }: Record<string, string>): Time | null => {
  const given = Number(hourText);
  const time = {
    hour: half === undefined ? given : (given % 12) + (/p/i.test(half) ? 12 : 0),
    minute: Number(minute ?? minute24 ?? 0),
  };
  const isReal = given <= (half === undefined ? 23 : 12) && time.minute <= 59;
  return isReal ? time : null;
};

/** Returns the next occurrence of the time in the zone. */
const nextTime = (time: Time, zone: string | undefined, now: Date): Date => {
  const { year, month, day } = zoned(now, zone);
  const today = instant({ year, month, day, ...time }, zone);
  return today.getTime() > now.getTime() - justPassedMs
    ? today
    : instant({ year, month, day: day + 1, ...time }, zone);
};

/** Returns that day of its year or else of this year or, in December about January, of the next. */
const onDate = (
  { month: monthName = "", day, year: yearText }: Record<string, string>,
  time: Time,
  zone: string | undefined,
  now: Date,
): Date | null => {
  const month = months.indexOf(monthName.toLowerCase());
  if (month === -1) return null;
  const inYear = (year: number) => instant({ year, month, day: Number(day), ...time }, zone);
  if (yearText !== undefined) return inYear(Number(yearText));
  const { year } = zoned(now, zone);
  const thisYear = inYear(year);
  return thisYear.getTime() < now.getTime() - maxAheadMs / 2 ? inYear(year + 1) : thisYear;
};

/** undefined means the zone of this machine. */
const knownZone = (name: string | undefined): string | undefined => {
  if (name === undefined) return undefined;
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone;
  } catch {
    return undefined;
  }
};

const zoned = (at: Date, zone: string | undefined) => {
  const parts = new Intl.DateTimeFormat("en-US", {
    timeZone: zone,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  }).formatToParts(at);
  const part = (type: string) => Number(parts.find((candidate) => candidate.type === type)?.value);
  return {
    year: part("year"),
    month: part("month") - 1,
    day: part("day"),
    asUtc: Date.UTC(
      part("year"),
      part("month") - 1,
      part("day"),
      part("hour"),
      part("minute"),
      part("second"),
    ),
  };
};

/** Returns the instant of that local time in the zone. */
const instant = (
  { year, month, day, hour, minute }: Time & { year: number; month: number; day: number },
  zone: string | undefined,
): Date => {
  const wanted = Date.UTC(year, month, day, hour, minute);
  let guess = wanted;
  // Twice, because the first guess may be on the other side of a clock change.
  for (let i = 0; i < 2; i++) guess += wanted - zoned(new Date(guess), zone).asUtc;
  return new Date(guess);
};
