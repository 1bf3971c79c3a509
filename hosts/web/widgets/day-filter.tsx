import { useAddressValue } from "./address-filter.ts";
import { FilterMenu } from "./filter-menu.tsx";
import { locale } from "./locale.ts";

const dayMs = 86_400_000;

const dayName = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeZone: "UTC" });

const isDay = (text: string): boolean => {
  const at = /^\d{4}-\d{2}-\d{2}$/.test(text) ? new Date(`${text}T00:00:00Z`) : null;
  return at !== null && !Number.isNaN(at.getTime()) && at.toISOString().startsWith(text) && text > "0001";
};

const dayAt = (at: number): string => new Date(at).toISOString().slice(0, 10);

/** Narrows a list to one day: `?day=2026-11-24` of the address. Days begin at midnight, UTC, as those of the pulse. */
export const useDayFilter = () => {
  const [given, choose] = useAddressValue("day");
  const day = given !== null && isDay(given) ? given : null;
  const now = Date.now();
  const named = [
    { value: dayAt(now), label: "Today" },
    { value: dayAt(now - dayMs), label: "Yesterday" },
  ];
  const start = day === null ? 0 : Date.parse(`${day}T00:00:00Z`);
  const menu = (
    <>
      <FilterMenu
        label="Filter by day"
        shown={
          day === null
            ? "Any day"
            : (named.find(({ value }) => value === day)?.label ?? dayName.format(new Date(start)))
        }
        isNarrowed={day !== null}
        items={[
          { label: "Any day", isChosen: day === null, run: () => choose(null) },
          ...named.map(({ value, label }) => ({ label, isChosen: value === day, run: () => choose(value) })),
        ]}
      />
      <input
        type="date"
        className="day-filter"
        aria-label="Another day"
        value={day ?? ""}
        max={dayAt(now)}
        onChange={({ target }) => {
          if (target.value === "" || isDay(target.value)) choose(target.value);
        }}
      />
      <span className="faint">UTC</span>
    </>
  );
  return {
    day,
    choose,
    menu,
    /** null: any day. */
    period: day === null ? null : { from: day, to: dayAt(start + dayMs) },
  };
};
