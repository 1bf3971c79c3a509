import { Link } from "wouter";
import { type AnswerOf, useRead } from "../../live/calls.ts";
import { Money, moneyText } from "../../parts/money.tsx";
import { Skeleton } from "../../parts/skeleton.tsx";
import { Table } from "../../parts/table.tsx";
import { countText, Unknown } from "./figures.tsx";

type Day = AnswerOf<"costs.byDay">[number];

const dayName = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short", timeZone: "UTC" });
const nameOf = ({ day }: Day): string => dayName.format(new Date(`${day}T00:00:00Z`));

const height = 160;
const step = 20;

/** Each day as a bar, and the same figures as a table. Days with use of unknown cost are marked below the bar. */
export const DayCosts = ({
  asked,
  eventsPath,
}: {
  readonly asked: { readonly companyId: string; readonly from?: string; readonly to?: string };
  readonly eventsPath: (day: string) => string;
}) => {
  const { data: days } = useRead("costs.byDay", asked);
  if (days === undefined) return <Skeleton rows={4} />;
  if (days.length === 0) return null;
  const most = Math.max(1, ...days.map(({ costCents }) => costCents));
  const width = days.length * step;
  const hasUnknown = days.some(({ unknownEventCount }) => unknownEventCount > 0);
  const spent = days.filter(({ eventCount }) => eventCount > 0).toReversed();
  return (
    <section className="stack" aria-labelledby="spend-days">
      <h2 id="spend-days">By day</h2>
      <div className="spend-days">
        <figure className="spend-chart">
          <svg viewBox={`0 0 ${width} ${height + 8}`} preserveAspectRatio="none" aria-hidden="true">
            {days.map((day, at) => (
              <g key={day.day}>
                <title>
                  {`${nameOf(day)}: ${moneyText(day.costCents)}${
                    day.unknownEventCount > 0
                      ? ` and ${countText(day.unknownTokens)} tokens of unknown cost`
                      : ""
                  }`}
                </title>
                <rect className="spend-day" x={at * step} width={step} height={height + 8} />
                <rect
                  className="spend-bar"
                  x={at * step + 3}
                  width={step - 6}
                  y={height - (day.costCents / most) * height}
                  height={(day.costCents / most) * height}
                />
                {day.unknownEventCount > 0 ? (
                  <rect
                    className="spend-unknown"
                    x={at * step + 3}
                    width={step - 6}
                    y={height + 3}
                    height={4}
                  />
                ) : null}
              </g>
            ))}
            <line className="spend-axis" x1={0} x2={width} y1={height} y2={height} />
          </svg>
          <figcaption className="spend-axis-names muted">
            <span>{nameOf(days[0]!)}</span>
            <span className="row">
              Highest day <Money cents={most} />
              {hasUnknown ? (
                <>
                  <span className="spend-key" aria-hidden="true" /> unknown cost
                </>
              ) : null}
            </span>
            <span>{days.length > 1 ? nameOf(days.at(-1)!) : ""}</span>
          </figcaption>
        </figure>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keys */}
        <section className="spend-day-table" tabIndex={0} aria-label="Costs by day">
          <Table
            label="Costs by day"
            columns={[
              { key: "day", title: "Day", grows: true, cell: nameOf },
              {
                key: "cost",
                title: "Spent",
                align: "end",
                cell: ({ day, costCents }) => (
                  <Link href={eventsPath(day)} className="quiet-link sum" title="Show the single events">
                    <Money cents={costCents} />
                  </Link>
                ),
              },
              { key: "unknown", title: "Unknown", align: "end", cell: (row) => <Unknown {...row} /> },
            ]}
            rows={spent}
            rowKey={({ day }) => day}
          />
        </section>
      </div>
    </section>
  );
};
