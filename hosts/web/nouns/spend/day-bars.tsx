import { useState } from "react";
import type { AnswerOf } from "../../live/calls.ts";
import { locale } from "../../widgets/locale.ts";
import { Money, moneyText } from "../../widgets/money.tsx";
import { countText } from "../../widgets/size-text.ts";
import { axisTop, type DayPart, partsOfDay } from "./day-parts.ts";

type Day = AnswerOf<"costs.byDay">[number];

const format = new Intl.DateTimeFormat(locale, { day: "numeric", month: "short", timeZone: "UTC" });

/** "24 Nov" */
export const dayName = ({ day }: Pick<Day, "day">): string => format.format(new Date(`${day}T00:00:00Z`));

const height = 160;
const step = 20;

interface DayBarsProps {
  readonly days: readonly Day[];
  /** The parts of each bar, from the bottom; none: bars of one piece. */
  readonly parts?: readonly DayPart[];
}

/** The costs of each day as a bar on an axis, with what it is made of. Days with use of unknown cost are marked below the bar. */
export const DayBars = ({ days, parts = [] }: DayBarsProps) => {
  const [pointed, setPointed] = useState<number | null>(null);
  const top = axisTop(Math.max(0, ...days.map(({ costCents }) => costCents)));
  const width = days.length * step;
  const day = pointed === null ? undefined : days[pointed];
  return (
    <figure className="day-chart">
      {/* The figures are in a table next to it. */}
      <div className="day-plot" aria-hidden="true">
        <div className="day-scale muted">
          {[top, top / 2, 0].map((cents) => (
            <span key={cents}>{moneyText(cents)}</span>
          ))}
        </div>
        <div className="day-room">
          <svg viewBox={`0 0 ${width} ${height + 8}`} preserveAspectRatio="none" aria-hidden="true">
            {[0, height / 2, height].map((y) => (
              <line key={y} className="day-axis" x1={0} x2={width} y1={y} y2={y} />
            ))}
            {days.map((each, at) => (
              <g key={each.day} onPointerEnter={() => setPointed(at)} onPointerLeave={() => setPointed(null)}>
                <rect className="day-column" x={at * step} width={step} height={height + 8} />
                <Bar day={each} x={at * step + 3} parts={parts} top={top} />
              </g>
            ))}
          </svg>
          {day === undefined ? null : (
            <DayTip day={day} parts={parts} position={(pointed! + 0.5) / days.length} />
          )}
        </div>
      </div>
      <Caption days={days} parts={parts} />
    </figure>
  );
};

interface BarProps {
  readonly day: Day;
  readonly x: number;
  readonly parts: readonly DayPart[];
  /** The end of the axis, in cents. */
  readonly top: number;
}

const Bar = ({ day, x, parts, top }: BarProps) => {
  let below = 0;
  const pieces = partsOfDay(day, parts).map(({ tone, cents }) => {
    const from = below;
    below += cents;
    return { tone, y: height - (below / top) * height, tall: ((below - from) / top) * height };
  });
  return (
    <>
      {pieces.map(({ tone, y, tall }) => (
        <rect key={tone} className={`day-bar tone-${tone}`} x={x} width={step - 6} y={y} height={tall} />
      ))}
      {day.unknownEventCount > 0 ? (
        <rect className="day-unknown" x={x} width={step - 6} y={height + 3} height={4} />
      ) : null}
    </>
  );
};

interface DayTipProps {
  readonly day: Day;
  readonly parts: readonly DayPart[];
  /** From 0, the left end, to 1. */
  readonly position: number;
}

/** The costs of a day, next to its bar. */
const DayTip = ({ day, parts, position }: DayTipProps) => (
  <div
    className="day-tip"
    style={position < 0.5 ? { left: `${position * 100}%` } : { right: `${(1 - position) * 100}%` }}
  >
    <p className="row">
      <b className="grow">{dayName(day)}</b> <Money cents={day.costCents} />
    </p>
    {parts.length === 0
      ? null
      : partsOfDay(day, parts)
          .toReversed()
          .map(({ label, tone, cents }) => (
            <p key={tone} className="row">
              <span className={`day-dot tone-${tone}`} />
              <span className="grow cut">{label}</span> <Money cents={cents} />
            </p>
          ))}
    {day.unknownEventCount > 0 ? (
      <p className="muted">+ {countText(day.unknownTokens)} tokens without cost data</p>
    ) : null}
  </div>
);

const Caption = ({ days, parts }: { readonly days: readonly Day[]; readonly parts: readonly DayPart[] }) => {
  const hasUnknown = days.some(({ unknownEventCount }) => unknownEventCount > 0);
  return (
    <figcaption className="muted">
      <div className="day-axis-names">
        <span>{dayName(days[0]!)}</span>
        <span>{days.length > 1 ? dayName(days.at(-1)!) : ""}</span>
      </div>
      {parts.length === 0 && !hasUnknown ? null : (
        <ul className="day-keys">
          {parts.map(({ label, tone }) => (
            <li key={tone} className="row">
              <span className={`day-dot tone-${tone}`} aria-hidden="true" />
              {label}
            </li>
          ))}
          {hasUnknown ? (
            <li className="row">
              <span className="day-key" aria-hidden="true" />
              Unknown cost
            </li>
          ) : null}
        </ul>
      )}
    </figcaption>
  );
};
