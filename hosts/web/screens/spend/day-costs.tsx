import { Link } from "wouter";
import { useRead } from "../../live/calls.ts";
import { DayBars, dayName } from "../../nouns/spend/day-bars.tsx";
import { partsByAgent } from "../../nouns/spend/day-parts.ts";
import { Money } from "../../widgets/money.tsx";
import { Skeleton } from "../../widgets/skeleton.tsx";
import { Table } from "../../widgets/table.tsx";
import { Unknown } from "./figures.tsx";

/** Each day as a bar of the agents that cost most, and the same figures as a table. Days with use of unknown cost are marked below the bar. */
export const DayCosts = ({
  asked,
  eventsPath,
}: {
  readonly asked: { readonly companyId: string; readonly from?: string; readonly to?: string };
  readonly eventsPath: (day: string) => string;
}) => {
  const { data: days } = useRead("costs.byDay", asked);
  const { data: ofAgents } = useRead("costs.byAgentAndDay", asked);
  if (days === undefined || ofAgents === undefined) return <Skeleton rows={4} />;
  if (days.length === 0) return null;
  const spent = days.filter(({ eventCount }) => eventCount > 0).toReversed();
  return (
    <section className="stack" aria-labelledby="spend-days">
      <h2 id="spend-days">By day</h2>
      <div className="spend-days">
        <DayBars days={days} parts={partsByAgent(ofAgents)} />
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keys */}
        <section className="spend-day-table" tabIndex={0} aria-label="Costs by day">
          <Table
            label="Costs by day"
            columns={[
              { key: "day", title: "Day", grows: true, cell: dayName },
              {
                key: "cost",
                title: "Spent",
                align: "end",
                cell: ({ day, costCents }) => (
                  <Link href={eventsPath(day)} className="quiet-link sum" title="View cost events">
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
