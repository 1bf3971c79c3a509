import { Link, useLocation, useSearch } from "wouter";
import { type AnswerOf, type InputOf, useRead } from "../../live/calls.ts";
import { UsageWindows } from "../../nouns/agents/usage-windows.tsx";
import { Actor } from "../../nouns/avatar.tsx";
import { Budget, CompanyBudget } from "../../nouns/companies/budgets.tsx";
import { useCompany, useHere, useMayHere } from "../../nouns/companies/company.tsx";
import { mostCostlyIssues } from "../../nouns/list-inputs.ts";
import { useNames } from "../../nouns/names.ts";
import { dayAfter, monthNow, periodOf, shownMonth, shownRange } from "../../nouns/spend/month.ts";
import { LinkButton } from "../../widgets/button.tsx";
import { Empty } from "../../widgets/empty.tsx";
import { InOrder } from "../../widgets/in-order.tsx";
import { Money } from "../../widgets/money.tsx";
import { Page } from "../../widgets/page.tsx";
import { countText } from "../../widgets/size-text.ts";
import { Skeleton } from "../../widgets/skeleton.tsx";
import { type Column, Table } from "../../widgets/table.tsx";
import { Unread } from "../../widgets/unread.tsx";
import { AgentDays } from "./agent-days.tsx";
import { DayCosts } from "./day-costs.tsx";
import { tokenColumns, Unknown } from "./figures.tsx";
import { PeriodPicker } from "./period-picker.tsx";
import { SpendSummary } from "./spend-summary.tsx";

/** The costs of a company in a month or a range of days: against its budget, by day, by agent, by project and by model. */
export const SpendScreen = () => {
  const { id: companyId, issuePrefix } = useCompany();
  const here = useHere();
  const [, go] = useLocation();
  const params = new URLSearchParams(useSearch());
  const month = shownMonth(params);
  const range = shownRange(params);
  const isNow = range === null && month === monthNow();
  const period = range === null ? periodOf(month) : { from: range.first, to: dayAfter(range.last) };
  const asked = isNow ? { companyId } : { companyId, ...period };
  const summary = useRead("costs.summary", asked);
  const mayDecide = useMayHere("setBudgets");
  const named: Readonly<Record<string, string>> =
    range === null ? { month } : { from: range.first, to: range.last };
  /** The single events behind a sum of the period. */
  const eventsPath = (of: Readonly<Record<string, string>> = {}) =>
    here(`/spend/events?${new URLSearchParams({ ...named, ...of })}`);
  const show = (of: Readonly<Record<string, string>>) =>
    go(here(Object.keys(of).length === 0 ? "/spend" : `/spend?${new URLSearchParams(of)}`));
  return (
    <Page title="Spend" actions={useMayHere("update") ? <SpendActions asked={asked} /> : undefined}>
      <div className="spend">
        <InOrder>
          <PeriodPicker month={month} range={range} show={show} />
          {summary.isPending || summary.isError ? (
            <Unread read={summary} rows={3} />
          ) : (
            <InOrder>
              <SpendSummary
                summary={summary.data}
                eventsPath={eventsPath()}
                month={range === null ? month : null}
              />
              {summary.data.eventCount === 0 ? (
                <Empty
                  icon="wallet"
                  title={range === null ? "No spend this month" : "No spend in this period"}
                  action={<LinkButton to={here("/runs")}>View runs</LinkButton>}
                >
                  Costs appear here once agents run.
                </Empty>
              ) : (
                <InOrder>
                  <DayCosts asked={asked} eventsPath={(day) => eventsPath({ day })} />
                  <AgentCosts
                    asked={asked}
                    mayDecide={mayDecide}
                    eventsPath={(agent) => eventsPath({ agent })}
                  />
                  <AgentDays asked={asked} name={`spend-${issuePrefix}-${Object.values(named).join("-")}`} />
                  <ProjectCosts asked={asked} mayDecide={mayDecide} />
                  <IssueCosts asked={asked} />
                  <ProviderCosts asked={asked} />
                </InOrder>
              )}
            </InOrder>
          )}
          {isNow ? <AccountWindows companyId={companyId} /> : null}
        </InOrder>
      </div>
    </Page>
  );
};

const SpendActions = ({ asked }: { readonly asked: InputOf<"costs.summary"> }) => {
  const { id, name } = useCompany();
  const { data } = useRead("costs.summary", asked);
  if (data === undefined) return null;
  return <CompanyBudget of={{ kind: "company", id, companyId: id, name }} cents={data.budgetCents} />;
};

const AccountWindows = ({ companyId }: { readonly companyId: string }) => {
  const { data = [] } = useRead("costs.usageWindows", { companyId });
  return data.length === 0 ? null : (
    <section className="stack" aria-labelledby="spend-windows">
      <h2 id="spend-windows">Usage windows of accounts</h2>
      <UsageWindows windows={data} />
    </section>
  );
};

interface Asked {
  readonly asked: { readonly companyId: string; readonly from?: string; readonly to?: string };
}

interface Totals {
  readonly costCents: number;
  readonly inputTokens: number;
  readonly cachedInputTokens: number;
  readonly outputTokens: number;
  readonly unknownEventCount: number;
  readonly unknownTokens: number;
}

const totalColumns: readonly Column<Totals>[] = [
  { key: "cost", title: "Spent", align: "end", cell: ({ costCents }) => <Money cents={costCents} /> },
  { key: "unknown", title: "Unknown", align: "end", cell: (row) => <Unknown {...row} /> },
  ...tokenColumns,
];

/** With a budget a narrow screen has no room for what is unknown; the summary says it. */
const narrow = (columns: readonly Column<Totals>[]): readonly Column<Totals>[] =>
  columns.map((column) => (column.key === "unknown" ? { ...column, wideOnly: true } : column));

type AgentRow = AnswerOf<"costs.byAgent">[number];

interface AgentCostsProps extends Asked {
  readonly mayDecide: boolean;
  readonly eventsPath: (agentId: string) => string;
}

const AgentCosts = ({ asked, mayDecide, eventsPath }: AgentCostsProps) => {
  const { companyId } = asked;
  const { data } = useRead("costs.byAgent", asked);
  const nameOf = useNames();
  if (data === undefined) return <Skeleton rows={3} />;
  if (data.length === 0) return null;
  const columns: readonly Column<AgentRow>[] = [
    {
      key: "agent",
      title: "Agent",
      grows: true,
      cell: ({ agentId, agentName }) => {
        const named = nameOf(agentId);
        return <Actor {...named} kind="agent" name={agentName} />;
      },
    },
    {
      key: "cost",
      title: "Spent",
      align: "end",
      cell: ({ agentId, costCents }) => (
        <Link href={eventsPath(agentId)} className="quiet-link sum" title="View cost events">
          <Money cents={costCents} />
        </Link>
      ),
    },
    ...narrow(totalColumns.slice(1)),
    { key: "runs", title: "Runs", align: "end", wideOnly: true, cell: ({ runCount }) => countText(runCount) },
    {
      key: "budget",
      title: "Monthly budget",
      align: "end",
      cell: ({ agentId, agentName, budgetMonthlyCents, costCents }) => (
        <Budget
          of={{ kind: "agent", id: agentId, companyId, name: agentName }}
          cents={budgetMonthlyCents}
          spentCents={costCents}
          mayDecide={mayDecide}
        />
      ),
    },
  ];
  return (
    <section className="stack" aria-labelledby="spend-agents">
      <h2 id="spend-agents">By agent</h2>
      <Table label="Costs by agent" columns={columns} rows={data} rowKey={({ agentId }) => agentId} />
    </section>
  );
};

type IssueRow = AnswerOf<"costs.byIssue">[number];

/** The most expensive issues of the period. */
const IssueCosts = ({ asked }: Asked) => {
  const here = useHere();
  const { data } = useRead("costs.byIssue", { ...asked, count: mostCostlyIssues });
  if (data === undefined || data.length === 0) return null;
  const columns: readonly Column<IssueRow>[] = [
    {
      key: "issue",
      title: "Issue",
      grows: true,
      cell: ({ issueIdentifier, issueTitle }) =>
        issueIdentifier === null ? (
          <span className="muted">No issue</span>
        ) : (
          <Link href={here(`/issues/${issueIdentifier}`)} className="quiet-link">
            {issueIdentifier} {issueTitle}
          </Link>
        ),
    },
    ...totalColumns,
  ];
  return (
    <section className="stack" aria-labelledby="spend-issues">
      <h2 id="spend-issues">By issue</h2>
      {data.length < mostCostlyIssues ? null : (
        <p className="muted">The {mostCostlyIssues} most expensive.</p>
      )}
      <Table
        label="Costs by issue"
        columns={columns}
        rows={data}
        rowKey={({ issueId }) => issueId ?? "none"}
      />
    </section>
  );
};

type ProjectRow = AnswerOf<"costs.byProject">[number];

const ProjectCosts = ({ asked, mayDecide }: Asked & { readonly mayDecide: boolean }) => {
  const { companyId } = asked;
  const { data } = useRead("costs.byProject", asked);
  if (data === undefined || data.length === 0) return null;
  const columns: readonly Column<ProjectRow>[] = [
    {
      key: "project",
      title: "Project",
      grows: true,
      cell: ({ projectName }) => projectName ?? <span className="muted">No project</span>,
    },
    ...narrow(totalColumns),
    {
      key: "budget",
      title: "Monthly budget",
      align: "end",
      cell: ({ projectId, projectName, budgetMonthlyCents, costCents }) =>
        projectId === null ? null : (
          <Budget
            of={{ kind: "project", id: projectId, companyId, name: projectName ?? "" }}
            cents={budgetMonthlyCents ?? 0}
            spentCents={costCents}
            mayDecide={mayDecide}
          />
        ),
    },
  ];
  return (
    <section className="stack" aria-labelledby="spend-projects">
      <h2 id="spend-projects">By project</h2>
      <Table
        label="Costs by project"
        columns={columns}
        rows={data}
        rowKey={({ projectId }) => projectId ?? "none"}
      />
    </section>
  );
};

type ProviderRow = AnswerOf<"costs.byProvider">[number];

const ProviderCosts = ({ asked }: Asked) => {
  const { data } = useRead("costs.byProvider", asked);
  if (data === undefined || data.length === 0) return null;
  const columns: readonly Column<ProviderRow>[] = [
    {
      key: "model",
      title: "Provider and model",
      grows: true,
      cell: ({ provider, model, billingType }) => (
        <>
          {provider} · {model}{" "}
          {billingType === "unknown" ? null : (
            <span className="faint">{billingType.replaceAll("_", " ")}</span>
          )}
        </>
      ),
    },
    ...totalColumns,
  ];
  return (
    <section className="stack" aria-labelledby="spend-models">
      <h2 id="spend-models">By provider and model</h2>
      <Table
        label="Costs by provider and model"
        columns={columns}
        rows={data}
        rowKey={({ provider, model, billingType }) => `${provider} ${model} ${billingType}`}
      />
    </section>
  );
};
