import { isLive, runStatuses } from "../../../../core/model/runs/run-status.ts";
import { type RowOf, usePages } from "../../live/calls.ts";
import { useAgentFilter } from "../../nouns/agents/agent-filter.tsx";
import { useCompany, useHere } from "../../nouns/companies/company.tsx";
import { useIssueFilter } from "../../nouns/issues/issue-filter.tsx";
import { RunTable } from "../../nouns/runs/run-table.tsx";
import { displayOf } from "../../nouns/status.tsx";
import { useAddressFilter, useAddressValue } from "../../widgets/address-filter.ts";
import { LinkButton } from "../../widgets/button.tsx";
import { useDayFilter } from "../../widgets/day-filter.tsx";
import { Empty } from "../../widgets/empty.tsx";
import { FilterChoice, FilterMenu } from "../../widgets/filter-menu.tsx";
import { Page } from "../../widgets/page.tsx";
import { Pages } from "../../widgets/pages.tsx";

/** The runs of a company, newest first. */
export const RunsScreen = () => {
  const { id: companyId } = useCompany();
  const here = useHere();
  const [status, setStatus] = useAddressFilter("status", runStatuses);
  const agent = useAgentFilter();
  const issue = useIssueFilter();
  const [errorCode, chooseError] = useAddressValue("error");
  const { day, period, menu: dayMenu } = useDayFilter();
  const runs = usePages("runs.list", {
    companyId,
    limit: 100,
    ...(status.length === 0 ? {} : { status }),
    ...(agent.id === null ? {} : { agentId: agent.id }),
    ...(issue.id === null ? {} : { issueId: issue.id }),
    ...(errorCode === null ? {} : { errorCode }),
    // Those that have ended are of the day of their end, as the pulse counts them.
    ...(period === null
      ? {}
      : status.length > 0 && !status.some(isLive)
        ? { finishedFrom: period.from, finishedTo: period.to }
        : period),
  });
  const isNarrowed =
    status.length > 0 || agent.id !== null || issue.id !== null || day !== null || errorCode !== null;
  return (
    <Page title="Runs">
      <search className="filters">
        <FilterChoice
          label="Filter by status"
          all="Any status"
          several="statuses"
          options={runStatuses.map((value) => {
            const { word, icon } = displayOf("run", value);
            return { value, label: word, icon };
          })}
          chosen={status}
          onChange={setStatus}
        />
        {agent.menu}
        {issue.menu}
        <ErrorFilter runs={runs.rows} chosen={errorCode} onChoose={chooseError} />
        {dayMenu}
      </search>
      <Pages of={runs} empty={<NoRun isNarrowed={isNarrowed} />}>
        <RunTable label="Runs" runs={runs.rows} pathOf={(id) => here(`/runs/${id}`)} />
      </Pages>
    </Page>
  );
};

interface ErrorFilterProps {
  readonly runs: readonly RowOf<"runs.list">[];
  readonly chosen: string | null;
  readonly onChoose: (errorCode: string | null) => void;
}

/** Offers the error codes of the runs that are shown: adapters have codes of their own. */
const ErrorFilter = ({ runs, chosen, onChoose }: ErrorFilterProps) => {
  const errors = [
    ...new Set([
      ...(chosen === null ? [] : [chosen]),
      ...runs.flatMap((run) => (run.errorCode === null ? [] : [run.errorCode])),
    ]),
  ].sort();
  return (
    <FilterMenu
      label="Filter by error"
      shown={chosen ?? "Any error"}
      isNarrowed={chosen !== null}
      items={[
        { label: "Any error", isChosen: chosen === null, run: () => onChoose(null) },
        ...errors.map((code) => ({
          label: code,
          isChosen: code === chosen,
          run: () => onChoose(code),
        })),
      ]}
    />
  );
};

const NoRun = ({ isNarrowed }: { readonly isNarrowed: boolean }) => {
  const here = useHere();
  return !isNarrowed ? (
    <Empty
      icon="terminal"
      title="No runs yet"
      action={<LinkButton to={here("/issues")}>Assign an issue</LinkButton>}
    >
      Agents run when they get an issue or comment, on a schedule, or when you wake them.
    </Empty>
  ) : (
    <Empty
      icon="list-filter"
      title="No runs match your filters"
      action={<LinkButton to={here("/runs")}>Clear filters</LinkButton>}
    />
  );
};
