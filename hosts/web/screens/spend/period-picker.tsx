import { useId, useState } from "react";
import { monthAfter, monthName, monthNow, shownRange } from "../../nouns/spend/month.ts";
import { Button, IconButton } from "../../widgets/button.tsx";

interface PeriodPickerProps {
  readonly month: string;
  /** The days that are shown in place of the month. */
  readonly range: { readonly first: string; readonly last: string } | null;
  /** The address's words of another period; none: this month. */
  readonly show: (of: Readonly<Record<string, string>>) => void;
}

/** Chooses the time of what is shown: a month, or from one day to another. */
export const PeriodPicker = ({ month, range, show }: PeriodPickerProps) => {
  const isNow = month === monthNow();
  const showMonth = (next: string) => show(next === monthNow() ? {} : { month: next });
  return (
    <div className="row-wrap">
      {range === null ? (
        <>
          <IconButton
            icon="chevron-left"
            label="Month before"
            onClick={() => showMonth(monthAfter(month, -1))}
          />
          <h2 className="spend-month" aria-live="polite">
            {monthName(month)}
          </h2>
          <IconButton
            icon="chevron-right"
            label="Month after"
            disabled={isNow}
            onClick={() => showMonth(monthAfter(month, 1))}
          />
        </>
      ) : (
        <Button small onClick={() => show({})}>
          Show months
        </Button>
      )}
      <RangeFields key={`${range?.first} ${range?.last} ${month}`} range={range} month={month} show={show} />
      <span className="faint">UTC</span>
    </div>
  );
};

const lastDayOf = (month: string): string =>
  new Date(Date.parse(`${monthAfter(month, 1)}-01T00:00:00Z`) - 1).toISOString().slice(0, 10);

const RangeFields = ({ range, month, show }: PeriodPickerProps) => {
  const id = useId();
  const [first, setFirst] = useState(range?.first ?? `${month}-01`);
  const [last, setLast] = useState(range?.last ?? lastDayOf(month));
  const isPossible = shownRange(new URLSearchParams({ from: first, to: last })) !== null;
  return (
    <form
      className="row-wrap spend-range"
      aria-label="Days"
      onSubmit={(event) => {
        event.preventDefault();
        if (isPossible) show({ from: first, to: last });
      }}
    >
      <label htmlFor={`${id}-first`} className="muted">
        From
      </label>
      <input
        id={`${id}-first`}
        type="date"
        className="input spend-day"
        value={first}
        onChange={({ target }) => setFirst(target.value)}
      />
      <label htmlFor={`${id}-last`} className="muted">
        to
      </label>
      <input
        id={`${id}-last`}
        type="date"
        className="input spend-day"
        value={last}
        onChange={({ target }) => setLast(target.value)}
      />
      <Button type="submit" disabled={!isPossible}>
        Apply
      </Button>
      {isPossible ? null : <span className="muted">Choose 1 to 366 days.</span>}
    </form>
  );
};
