import { useSyncExternalStore } from "react";
import { locale } from "./locale.ts";

/** A clock for all that shows it: it runs while something does. */
const clockOf = <T,>(everyMs: number, read: () => T) => {
  const listeners = new Set<() => void>();
  let ticker: ReturnType<typeof setInterval> | undefined;
  let shown = read();
  const tick = () => {
    shown = read();
    for (const each of listeners) each();
  };
  const subscribe = (listener: () => void): (() => void) => {
    listeners.add(listener);
    if (ticker === undefined) {
      // It may have stood for long.
      shown = read();
      ticker = setInterval(tick, everyMs);
    }
    return () => {
      listeners.delete(listener);
      if (listeners.size > 0) return;
      clearInterval(ticker);
      ticker = undefined;
    };
  };
  return { subscribe, now: () => shown };
};

const minutes = clockOf(15_000, () => Math.floor(Date.now() / 60_000));
const seconds = clockOf(1_000, () => Date.now());

const relative = new Intl.RelativeTimeFormat(locale, { numeric: "auto", style: "narrow" });
const day = new Intl.DateTimeFormat(locale, { day: "numeric", month: "short" });
const dayOfYear = new Intl.DateTimeFormat(locale, { day: "numeric", month: "short", year: "numeric" });
const weekday = new Intl.DateTimeFormat(locale, { weekday: "long", day: "numeric", month: "long" });
const weekdayOfYear = new Intl.DateTimeFormat(locale, { dateStyle: "full" });
const full = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "medium" });
const short = new Intl.DateTimeFormat(locale, {
  day: "numeric",
  month: "short",
  hour: "2-digit",
  minute: "2-digit",
});
const clock = new Intl.DateTimeFormat(locale, { hour: "2-digit", minute: "2-digit" });

/** "5 min ago" within a day, else the day. */
const agoText = (at: string, now = Date.now()): string => {
  const when = new Date(at);
  const seconds = (when.getTime() - now) / 1000;
  const distance = Math.abs(seconds);
  if (distance < 45) return "now";
  if (distance < 3600) return relative.format(Math.round(seconds / 60), "minute");
  if (distance < 86_400) return relative.format(Math.round(seconds / 3600), "hour");
  if (distance < 7 * 86_400) return relative.format(Math.round(seconds / 86_400), "day");
  return (when.getFullYear() === new Date(now).getFullYear() ? day : dayOfYear).format(when);
};

/** Of a day without a time, `2027-01-31`. */
export const dayText = (iso: string): string => dayOfYear.format(new Date(`${iso}T12:00:00`));

/** Texts that were formatted, by their time: lists show them again, and formatting one takes as long as drawing a few elements. */
const timeTexts = new Map<string, string>();
const mostTimeTexts = 2_000;

export const timeText = (at: string): string => {
  const known = timeTexts.get(at);
  if (known !== undefined) return known;
  if (timeTexts.size >= mostTimeTexts) timeTexts.clear();
  const text = full.format(new Date(at));
  timeTexts.set(at, text);
  return text;
};

const isOnDay = (when: Date, daysAgo: number): boolean => {
  const then = new Date();
  then.setDate(then.getDate() - daysAgo);
  return when.toDateString() === then.toDateString();
};

const dayNameOf = (when: Date): string => {
  if (isOnDay(when, 0)) return "Today";
  if (isOnDay(when, 1)) return "Yesterday";
  return (when.getFullYear() === new Date().getFullYear() ? weekday : weekdayOfYear).format(when);
};

/** The day of a time in the reader's zone: "Today", "Yesterday", "Tuesday 24 November". */
export const DayName = ({ at }: { readonly at: string }) => {
  useSyncExternalStore(minutes.subscribe, minutes.now);
  return dayNameOf(new Date(at));
};

/** The beginning of this minute, in milliseconds; what uses it is drawn again when the next one begins. */
export const useMinute = (): number => useSyncExternalStore(minutes.subscribe, minutes.now) * 60_000;

/** "14:05" in the reader's zone. */
export const clockText = (millis: number): string => clock.format(millis);

interface TimeProps {
  readonly at: string;
  /** "brief": in a sentence, where the time is enough for today. "of day": below the day's name, where it is enough for other days. */
  readonly as?: "ago" | "clock" | "brief" | "short" | "full" | "of day";
}

const shownTime = (at: string, as: NonNullable<TimeProps["as"]>): string => {
  if (as === "ago") return agoText(at);
  const when = new Date(at);
  const isToday = isOnDay(when, 0);
  if (as === "of day" && isToday) return agoText(at);
  const formats = { clock, brief: isToday ? clock : short, short, full, "of day": clock } as const;
  return formats[as].format(when);
};

/** A time in the reader's zone, with UTC on hover. */
export const Time = ({ at, as = "ago" }: TimeProps) => {
  useSyncExternalStore(minutes.subscribe, minutes.now);
  return (
    <time
      className="time"
      dateTime={at}
      title={`${timeText(at)}\n${at.replace("T", " ").replace(/\.\d+Z$/, " UTC")}`}
    >
      {shownTime(at, as)}
    </time>
  );
};

/** "42s", "3m 5s", "2h 4m". */
export const durationText = (millis: number): string => {
  const seconds = Math.max(0, Math.round(millis / 1000));
  if (seconds < 60) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return seconds % 60 === 0 ? `${minutes}m` : `${minutes}m ${seconds % 60}s`;
  return minutes % 60 === 0
    ? `${Math.floor(minutes / 60)}h`
    : `${Math.floor(minutes / 60)}h ${minutes % 60}m`;
};

const duration = (from: string, toMillis: number) => (
  <span className="time">{durationText(toMillis - Date.parse(from))}</span>
);

/** A duration; without an end it keeps counting. */
export const Duration = ({ from, to }: { readonly from: string; readonly to: string | null }) =>
  to === null ? <Counting from={from} /> : duration(from, Date.parse(to));

const Counting = ({ from }: { readonly from: string }) =>
  duration(from, useSyncExternalStore(seconds.subscribe, seconds.now));
