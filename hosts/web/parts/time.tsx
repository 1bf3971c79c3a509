import { useEffect, useSyncExternalStore } from "react";

const listeners = new Set<() => void>();
let ticker: ReturnType<typeof setInterval> | undefined;
let minute = Math.floor(Date.now() / 60_000);

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  ticker ??= setInterval(() => {
    minute = Math.floor(Date.now() / 60_000);
    for (const each of listeners) each();
  }, 15_000);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(ticker);
    ticker = undefined;
  };
};

/** Renders again each minute: one clock for all times on the page. */
const useMinute = (): number => useSyncExternalStore(subscribe, () => minute);

const relative = new Intl.RelativeTimeFormat(undefined, { numeric: "auto", style: "narrow" });
const day = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short" });
const dayOfYear = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short", year: "numeric" });
const full = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });
const short = new Intl.DateTimeFormat(undefined, {
  day: "numeric",
  month: "short",
  hour: "2-digit",
  minute: "2-digit",
});
const clock = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit" });

/** "5m ago" within a day, else the day; in words of the reader's language. */
export const agoText = (at: string, now = Date.now()): string => {
  const when = new Date(at);
  const seconds = (when.getTime() - now) / 1000;
  const distance = Math.abs(seconds);
  if (distance < 45) return "now";
  if (distance < 3600) return relative.format(Math.round(seconds / 60), "minute");
  if (distance < 86_400) return relative.format(Math.round(seconds / 3600), "hour");
  if (distance < 7 * 86_400) return relative.format(Math.round(seconds / 86_400), "day");
  return (when.getFullYear() === new Date(now).getFullYear() ? day : dayOfYear).format(when);
};

export const timeText = (at: string): string => full.format(new Date(at));

/** A time in the reader's zone, with UTC on hover. */
export const Time = ({
  at,
  as = "ago",
}: {
  readonly at: string;
  readonly as?: "ago" | "clock" | "short" | "full";
}) => {
  useMinute();
  const formats = { clock, short, full } as const;
  const text = as === "ago" ? agoText(at) : formats[as].format(new Date(at));
  return (
    <time
      className="time"
      dateTime={at}
      title={`${timeText(at)}\n${at.replace("T", " ").replace(/\.\d+Z$/, " UTC")}`}
    >
      {text}
    </time>
  );
};

/** "42 s", "3 min 5 s", "2 h 4 min". */
export const durationText = (millis: number): string => {
  const seconds = Math.max(0, Math.round(millis / 1000));
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return seconds % 60 === 0 ? `${minutes} min` : `${minutes} min ${seconds % 60} s`;
  return minutes % 60 === 0
    ? `${Math.floor(minutes / 60)} h`
    : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
};

/** A duration; without an end it keeps counting. */
export const Duration = ({ from, to }: { readonly from: string; readonly to: string | null }) => {
  const now = useSeconds(to === null);
  return (
    <span className="time">{durationText((to === null ? now : Date.parse(to)) - Date.parse(from))}</span>
  );
};

const seconds = new Set<() => void>();
let second = Date.now();

const useSeconds = (isCounting: boolean): number => {
  useEffect(() => {
    if (!isCounting) return;
    const timer = setInterval(() => {
      second = Date.now();
      for (const each of seconds) each();
    }, 1000);
    return () => clearInterval(timer);
  }, [isCounting]);
  return useSyncExternalStore(
    (listener) => {
      seconds.add(listener);
      return () => seconds.delete(listener);
    },
    () => second,
  );
};
