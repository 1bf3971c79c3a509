import { Link, useSearchParams } from "wouter";
import { type RowOf, usePages, useRead } from "../../live/calls.ts";
import { Actor } from "../../nouns/avatar.tsx";
import { useCompany, useHere } from "../../nouns/companies/company.tsx";
import { useNames } from "../../nouns/names.ts";
import { dayAfter, monthName, periodOf, shownMonth, shownRange } from "../../nouns/spend/month.ts";
import { LinkButton } from "../../widgets/button.tsx";
import { Empty } from "../../widgets/empty.tsx";
import { FilterMenu } from "../../widgets/filter-menu.tsx";
import { locale } from "../../widgets/locale.ts";
import { Money } from "../../widgets/money.tsx";
import { Page } from "../../widgets/page.tsx";
import { Pages } from "../../widgets/pages.tsx";
import { type Column, Table } from "../../widgets/table.tsx";
import { Time } from "../../widgets/time.tsx";
import { tokenColumns } from "./figures.tsx";

type CostEvent = RowOf<"costs.events">;

const dayName = new Intl.DateTimeFormat(locale, { dateStyle: "long", timeZone: "UTC" });

const nameOfDay = (day: string) => dayName.format(new Date(`${day}T00:00:00Z`));

/** A day of the address; null where it names none. */
const shownDay = (params: URLSearchParams): string | null => {
  const day = params.get("day") ?? "";
  return /^\d{4}-\d{2}-\d{2}$/.test(day) && !Number.isNaN(Date.parse(`${day}T00:00:00Z`)) ? day : null;
};

/** The single reports behind a sum: of a month or a day, of all agents or one. The address says which. */
export const CostEventsScreen = () => {
  const { id: companyId } = useCompany();
  const here = useHere();
  const [params] = useSearchParams();
  const month = shownMonth(params);
  const range = shownRange(params);
  const day = shownDay(params);
  const agentId = params.get("agent");
  const period =
    day !== null
      ? { from: day, to: dayAfter(day) }
      : range !== null
        ? { from: range.first, to: dayAfter(range.last) }
        : periodOf(month);
  const periodName =
    range === null ? monthName(month) : `${nameOfDay(range.first)} to ${nameOfDay(range.last)}`;
  const spendPath = here(
    range === null ? `/spend?month=${month}` : `/spend?from=${range.first}&to=${range.last}`,
  );
  const events = usePages("costs.events", {
    companyId,
    ...period,
    ...(agentId === null ? {} : { agentId }),
  });
  const isNarrowed = agentId !== null || day !== null;
  return (
    <Page title="Cost events" crumbs={[{ label: "Spend", to: spendPath }]}>
      <EventFilters periodName={periodName} />
      <Pages
        of={events}
        empty={
          <NoEvent
            isNarrowed={isNarrowed}
            allPath={here(
              `/spend/events?${new URLSearchParams(range === null ? { month } : { from: range.first, to: range.last })}`,
            )}
          />
        }
      >
        <EventTable events={events.rows} period={period} />
      </Pages>
    </Page>
  );
};

/** Narrows the events of a period to a day or an agent, in the address. */
const EventFilters = ({ periodName }: { readonly periodName: string }) => {
  const { id: companyId } = useCompany();
  const nameOf = useNames();
  const [params, setParams] = useSearchParams();
  const day = shownDay(params);
  const agentId = params.get("agent");
  const { data: agents = [] } = useRead("agents.list", { companyId });
  const change = (name: "agent" | "day", value: string | null) =>
    setParams((before) => {
      const after = new URLSearchParams(before);
      if (value === null) after.delete(name);
      else after.set(name, value);
      return after;
    });
  return (
    <search className="filters">
      <FilterMenu
        label="Filter by time"
        shown={day === null ? periodName : nameOfDay(day)}
        isNarrowed={day !== null}
        items={[
          {
            label: `All of ${periodName}`,
            isChosen: day === null,
            run: () => change("day", null),
          },
        ]}
      />
      <FilterMenu
        label="Filter by agent"
        shown={agentId === null ? "Any agent" : nameOf(agentId).name}
        isNarrowed={agentId !== null}
        items={[
          { label: "Any agent", isChosen: agentId === null, run: () => change("agent", null) },
          ...agents.map(({ id, name }) => ({
            label: name,
            isChosen: id === agentId,
            run: () => change("agent", id),
          })),
        ]}
      />
      <span className="faint">UTC</span>
    </search>
  );
};

interface NoEventProps {
  readonly isNarrowed: boolean;
  /** The path of all events of the period. */
  readonly allPath: string;
}

const NoEvent = ({ isNarrowed, allPath }: NoEventProps) => (
  <Empty
    icon="wallet"
    title={isNarrowed ? "No cost events match your filters" : "No cost events in this period"}
    action={isNarrowed ? <LinkButton to={allPath}>Clear filters</LinkButton> : undefined}
  >
    Usage appears here line by line while agents run.
  </Empty>
);

interface EventTableProps {
  readonly events: readonly CostEvent[];
  readonly period: { readonly from: string; readonly to: string };
}

const EventTable = ({ events, period }: EventTableProps) => {
  const { id: companyId } = useCompany();
  const here = useHere();
  const nameOf = useNames();
  // Events name issues by their ids: the sums of the same period know what they are called.
  const { data: issues = [] } = useRead("costs.byIssue", { companyId, ...period, count: 500 });
  const columns: readonly Column<CostEvent>[] = [
    { key: "when", title: "When", cell: ({ occurredAt }) => <Time at={occurredAt} as="short" /> },
    {
      key: "agent",
      title: "Agent",
      wideOnly: true,
      cell: ({ agentId }) => <Actor {...nameOf(agentId)} kind="agent" />,
    },
    {
      key: "for",
      title: "For",
      grows: true,
      cell: ({ agentId, issueId, runId }) => {
        const issue = issues.find((each) => each.issueId === issueId);
        return (
          <>
            {issueId === null ? (
              <span className="faint">No issue</span>
            ) : (
              <Link
                href={here(`/issues/${issue?.issueIdentifier ?? issueId}`)}
                className="table-title table-clamp"
              >
                {issue === undefined ? "An issue" : `${issue.issueIdentifier} ${issue.issueTitle}`}
              </Link>
            )}
            {runId === null ? null : (
              <>
                {" "}
                <Link href={here(`/runs/${runId}`)}>run</Link>
              </>
            )}
            <span className="narrow-only faint">{nameOf(agentId).name}</span>
          </>
        );
      },
    },
    {
      key: "model",
      title: "Model",
      wideOnly: true,
      cell: ({ provider, model }) => (
        <>
          {model} <span className="faint">{provider}</span>
        </>
      ),
    },
    ...tokenColumns,
    {
      key: "cost",
      title: "Cost",
      align: "end",
      cell: ({ costStatus, costCents }) => (
        <span title={costStatus === "priced" ? "Calculated from list prices" : undefined}>
          {costStatus === "priced" ? <span className="faint">≈ </span> : null}
          <Money cents={costStatus === "unknown" ? null : costCents} />
        </span>
      ),
    },
  ];
  return <Table label="Cost events" columns={columns} rows={events} rowKey={({ id }) => id} />;
};
