import { useRead } from "../../live/calls.ts";
import type { Routine } from "../../live/records.ts";
import { locale } from "../../widgets/locale.ts";
import { Time } from "../../widgets/time.tsx";

const formats = new Map<string, Intl.DateTimeFormat>();

/** In the zone of the schedule, with its offset: where the clocks change, the offset does. */
export const fireText = (at: string, timeZone: string): string => {
  let format = formats.get(timeZone);
  if (format === undefined) {
    format = new Intl.DateTimeFormat(locale, {
      timeZone,
      weekday: "short",
      day: "numeric",
      month: "short",
      hour: "2-digit",
      minute: "2-digit",
      timeZoneName: "shortOffset",
    });
    formats.set(timeZone, format);
  }
  return format.format(new Date(at));
};

/** The ticks that come next, of all schedules together. */
export const NextFires = ({ routine }: { readonly routine: Routine }) => {
  const { data: fires = [] } = useRead("routines.nextFires", { routineId: routine.id, count: 8 });
  if (fires.length === 0) return null;
  return (
    <section aria-labelledby="routine-next" className="stack">
      <h2 id="routine-next">Next {routine.status === "active" ? "" : "once it is active"}</h2>
      <ul className="routine-list">
        {fires.map(({ triggerId, scheduledFor }) => {
          const trigger = routine.triggers.find(({ id }) => id === triggerId);
          return (
            <li key={`${triggerId} ${scheduledFor}`} className="routine-fire">
              <span>{fireText(scheduledFor, trigger?.timezone ?? "UTC")}</span>
              <span className="muted">
                <Time at={scheduledFor} />
                {trigger?.label ? ` · ${trigger.label}` : ""}
              </span>
            </li>
          );
        })}
      </ul>
    </section>
  );
};
