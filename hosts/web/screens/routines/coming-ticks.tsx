import { Link } from "wouter";
import { type AnswerOf, useRead } from "../../live/calls.ts";
import { useCompany, useHere } from "../../nouns/companies/company.tsx";
import { Icon } from "../../widgets/icon.tsx";
import { locale } from "../../widgets/locale.ts";

type Fire = AnswerOf<"routines.companyNextFires">[number];

/** As many as a week of a busy company holds. */
const shownCount = 60;

const day = new Intl.DateTimeFormat(locale, { weekday: "short", day: "numeric", month: "long" });
const clock = new Intl.DateTimeFormat(locale, { hour: "2-digit", minute: "2-digit" });

const offsetAt = (at: string, timeZone: string): string =>
  new Intl.DateTimeFormat("en", { timeZone, timeZoneName: "longOffset" })
    .formatToParts(new Date(at))
    .find(({ type }) => type === "timeZoneName")?.value ?? "";

const clockOf = (timeZone: string) =>
  new Intl.DateTimeFormat(locale, { timeZone, hour: "2-digit", minute: "2-digit" });

const inZone = (at: string, timeZone: string): string =>
  new Intl.DateTimeFormat(locale, {
    timeZone,
    hour: "2-digit",
    minute: "2-digit",
    timeZoneName: "shortOffset",
  }).format(new Date(at));

/** The clock of the schedule's zone where it shows another time than the reader's. */
const zoneText = (at: string, timeZone: string): string => {
  const there = clockOf(timeZone).format(new Date(at));
  return there === clock.format(new Date(at)) ? "" : `${inZone(at, timeZone)} ${timeZone}`;
};

interface Tick extends Fire {
  /** The clocks of its zone have changed since the tick of that schedule before it. */
  readonly clocksChange: boolean;
}

const withClockChanges = (fires: readonly Fire[]): readonly Tick[] => {
  const before = new Map<string, string>();
  return fires.map((fire) => {
    const offset = offsetAt(fire.scheduledFor, fire.timezone);
    const last = before.get(fire.triggerId) ?? offsetAt(new Date().toISOString(), fire.timezone);
    before.set(fire.triggerId, offset);
    return { ...fire, clocksChange: last !== offset };
  });
};

interface RoutineDay {
  readonly routineId: string;
  readonly routineTitle: string;
  readonly ticks: readonly Tick[];
}

/** In the order of their first ticks. */
const byRoutine = (ticks: readonly Tick[]): readonly RoutineDay[] => {
  const found = new Map<string, RoutineDay & { readonly ticks: Tick[] }>();
  for (const tick of ticks) {
    const { routineId, routineTitle } = tick;
    const day = found.get(routineId);
    if (day === undefined) found.set(routineId, { routineId, routineTitle, ticks: [tick] });
    else day.ticks.push(tick);
  }
  return [...found.values()];
};

/** More ticks of a day than this are counted. */
const maxTimes = 4;

const timesText = (ticks: readonly Tick[]): string => {
  const times = ticks.map(({ scheduledFor }) => clock.format(new Date(scheduledFor)));
  return times.length <= maxTimes
    ? times.slice(1).join(", ")
    : `${times.length} times, the last at ${times.at(-1)}`;
};

/** The coming ticks of the company's schedules, by day in the reader's zone and by routine. */
export const ComingTicks = () => {
  const { id: companyId } = useCompany();
  const here = useHere();
  const { data: fires = [] } = useRead("routines.companyNextFires", { companyId, count: shownCount });
  if (fires.length === 0) return null;
  const days = new Map<string, Tick[]>();
  for (const tick of withClockChanges(fires)) {
    const name = day.format(new Date(tick.scheduledFor));
    days.set(name, [...(days.get(name) ?? []), tick]);
  }
  return (
    <section aria-labelledby="routines-coming" className="routines-coming">
      <h2 id="routines-coming">Upcoming</h2>
      {[...days].map(([name, ticks]) => (
        <section key={name} aria-label={name} className="routines-day">
          <h3 className="muted">{name}</h3>
          <ul>
            {byRoutine(ticks).map(({ routineId, routineTitle, ticks: [first, ...others] }) => (
              <li key={routineId} className="routines-tick">
                <time dateTime={first!.scheduledFor} className="time" title={first!.scheduledFor}>
                  {clock.format(new Date(first!.scheduledFor))}
                </time>
                <Link href={here(`/routines/${routineId}`)} className="cut quiet-link">
                  {routineTitle}
                </Link>
                <span className="faint routines-zone">{zoneText(first!.scheduledFor, first!.timezone)}</span>
                {others.length === 0 ? null : (
                  <span className="muted routines-more">
                    {others.length < maxTimes ? "and " : ""}
                    {timesText([first!, ...others])}
                  </span>
                )}
                {[first!, ...others].some(({ clocksChange }) => clocksChange) ? (
                  <span className="status amber">
                    <Icon name="triangle-alert" /> clocks change
                  </span>
                ) : null}
              </li>
            ))}
          </ul>
        </section>
      ))}
    </section>
  );
};
