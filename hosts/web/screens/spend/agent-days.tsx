import { type AnswerOf, useRead } from "../../live/calls.ts";
import { Actor } from "../../nouns/avatar.tsx";
import { useNames } from "../../nouns/names.ts";
import { dayName } from "../../nouns/spend/day-bars.tsx";
import { monthName } from "../../nouns/spend/month.ts";
import { Button } from "../../widgets/button.tsx";
import { csvText } from "../../widgets/csv.ts";
import { Money } from "../../widgets/money.tsx";
import { saveFile } from "../../widgets/save-file.ts";
import { type Column, Table } from "../../widgets/table.tsx";

type Row = AnswerOf<"costs.byAgentAndDay">[number];

interface AgentSums {
  readonly agentId: string;
  readonly agentName: string;
  readonly sum: number;
  /** In cents, by day or month. */
  readonly cents: ReadonlyMap<string, number>;
}

/** More days than this are shown by month. */
const maxColumns = 31;

const sumsOf = (rows: readonly Row[], unitOf: (day: string) => string): readonly AgentSums[] => {
  const found = new Map<string, { agentName: string; sum: number; cents: Map<string, number> }>();
  for (const { agentId, agentName, day, costCents } of rows) {
    const agent = found.get(agentId) ?? { agentName, sum: 0, cents: new Map<string, number>() };
    const unit = unitOf(day);
    agent.sum += costCents;
    agent.cents.set(unit, (agent.cents.get(unit) ?? 0) + costCents);
    found.set(agentId, agent);
  }
  return [...found]
    .map(([agentId, agent]) => ({ agentId, ...agent }))
    .sort((one, other) => other.sum - one.sum || one.agentName.localeCompare(other.agentName));
};

const csvColumns = [
  "day",
  "agentId",
  "agentName",
  "costCents",
  "inputTokens",
  "cachedInputTokens",
  "outputTokens",
  "eventCount",
  "unknownEventCount",
  "unknownTokens",
] as const;

const csvOf = (rows: readonly Row[]): string =>
  csvText([csvColumns, ...rows.map((row) => csvColumns.map((column) => `${row[column]}`))]);

interface AgentDaysProps {
  readonly asked: { readonly companyId: string; readonly from?: string; readonly to?: string };
  /** Of the file, without its ending. */
  readonly name: string;
}

/** The costs of each agent on each day, as a table and as a file. */
export const AgentDays = ({ asked, name }: AgentDaysProps) => {
  const { data: rows } = useRead("costs.byAgentAndDay", asked);
  const nameOf = useNames();
  if (rows === undefined || rows.length === 0) return null;
  const days = [...new Set(rows.map(({ day }) => day))];
  const isByDay = days.length <= maxColumns;
  const unitOf = (day: string) => (isByDay ? day : day.slice(0, 7));
  // The newest first, where it is seen without scrolling.
  const units = [...new Set(days.map(unitOf))].reverse();
  const columns: readonly Column<AgentSums>[] = [
    {
      key: "agent",
      title: "Agent",
      grows: true,
      cell: ({ agentId, agentName }) => <Actor {...nameOf(agentId)} kind="agent" name={agentName} />,
    },
    { key: "sum", title: "Total", align: "end", cell: ({ sum }) => <Money cents={sum} /> },
    ...units.map(
      (unit): Column<AgentSums> => ({
        key: unit,
        title: isByDay ? dayName({ day: unit }) : monthName(unit),
        align: "end",
        cell: ({ cents }) => {
          const spent = cents.get(unit);
          return spent === undefined ? <span className="faint">–</span> : <Money cents={spent} />;
        },
      }),
    ),
  ];
  return (
    <section className="stack" aria-labelledby="spend-agent-days">
      <header className="row">
        <h2 id="spend-agent-days" className="grow">
          {isByDay ? "By agent and day" : "By agent and month"}
        </h2>
        <Button small icon="download" onClick={() => saveFile(`${name}.csv`, csvOf(rows), "text/csv")}>
          Download CSV
        </Button>
      </header>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keys */}
      <section className="spend-agent-days" tabIndex={0} aria-label="Days of agents">
        <Table
          label="Days of agents"
          columns={columns}
          rows={sumsOf(rows, unitOf)}
          rowKey={({ agentId }) => agentId}
        />
      </section>
    </section>
  );
};
