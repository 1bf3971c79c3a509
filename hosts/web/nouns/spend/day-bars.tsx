import type { AnswerOf } from "../../live/calls.ts";
import { locale } from "../../widgets/locale.ts";
import { Money, moneyText } from "../../widgets/money.tsx";
import { countText } from "../../widgets/size-text.ts";

type Day = AnswerOf<"costs.byDay">[number];

const format = new Intl.DateTimeFormat(locale, { day: "numeric", month: "short", timeZone: "UTC" });

/** "24 Nov" */
export const dayName = ({ day }: Pick<Day, "day">): string => format.format(new Date(`${day}T00:00:00Z`));

const height = 160;
const step = 20;

/** The costs of each day as a bar. Days with use of unknown cost are marked below the bar. */
export const DayBars = ({ days }: { readonly days: readonly Day[] }) => {
  const most = Math.max(1, ...days.map(({ costCents }) => costCents));
  const width = days.length * step;
  const hasUnknown = days.some(({ unknownEventCount }) => unknownEventCount > 0);
  return (
    <figure className="day-chart">
      <svg viewBox={`0 0 ${width} ${height + 8}`} preserveAspectRatio="none" aria-hidden="true">
        {days.map((day, at) => (
          <g key={day.day}>
            <title>
              {`${dayName(day)}: ${moneyText(day.costCents)}${
                day.unknownEventCount > 0 ? ` + ${countText(day.unknownTokens)} tokens without cost data` : ""
              }`}
            </title>
            <rect className="day-column" x={at * step} width={step} height={height + 8} />
            <rect
              className="day-bar"
              x={at * step + 3}
              width={step - 6}
              y={height - (day.costCents / most) * height}
              height={(day.costCents / most) * height}
            />
            {day.unknownEventCount > 0 ? (
              <rect className="day-unknown" x={at * step + 3} width={step - 6} y={height + 3} height={4} />
            ) : null}
          </g>
        ))}
        <line className="day-axis" x1={0} x2={width} y1={height} y2={height} />
      </svg>
      <figcaption className="day-axis-names muted">
        <span>{dayName(days[0]!)}</span>
        <span className="row">
          Highest day <Money cents={most} />
          {hasUnknown ? (
            <>
              <span className="day-key" aria-hidden="true" /> unknown cost
            </>
          ) : null}
        </span>
        <span>{days.length > 1 ? dayName(days.at(-1)!) : ""}</span>
      </figcaption>
    </figure>
  );
};
