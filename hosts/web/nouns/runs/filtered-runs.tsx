import { isLive, runStatuses } from "../../../../core/model/runs/run-status.ts";
import { type RowOf, usePages } from "../../live/calls.ts";
import { useAddressFilter, useAddressValue } from "../../widgets/address-filter.ts";
import { LinkButton } from "../../widgets/button.tsx";
import { useDayFilter } from "../../widgets/day-filter.tsx";
import { Empty } from "../../widgets/empty.tsx";
import { FilterChoice, FilterMenu } from "../../widgets/filter-menu.tsx";
import { Pages } from "../../widgets/pages.tsx";
import { useAgentFilter } from "../agents/agent-filter.tsx";
import { useCompany, useHere } from "../companies/company.tsx";
import { useIssueFilter } from "../issues/issue-filter.tsx";
import { runsIn } from "../list-inputs.ts";
import { displayOf } from "../status.tsx";
import { RunTable } from "./run-table.tsx";

interface FilteredRunsProps {
  /** Of one agent only; null: of all, with a filter for one. */
  readonly agentId: string | null;
  /** Where the list is without filters. */
  readonly path: string;
}

/** Runs of a company, newest first, with filters that the address names. */
export const FilteredRuns = ({ agentId, path }: FilteredRunsProps) => {
  const { id: companyId } = useCompany();
  const here = useHere();
  const [status, setStatus] = useAddressFilter("status", runStatuses);
  const agent = useAgentFilter();
  const issue = useIssueFilter();
  const [errorCode, chooseError] = useAddressValue("error");
  const { day, period, menu: dayMenu } = useDayFilter();
  const chosenAgentId = agentId === null ? agent.id : null;
  const runsOf = agentId ?? chosenAgentId;
  const runs = usePages("runs.list", {
    ...runsIn(companyId),
    ...(status.length === 0 ? {} : { status }),
    ...(runsOf === null ? {} : { agentId: runsOf }),
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
    status.length > 0 || chosenAgentId !== null || issue.id !== null || day !== null || errorCode !== null;
  return (
    <>
      <search className="filters">
        <FilterChoice
          label="Filter by status"
          all="Any status"
          several="statuses"
          options={runStatuses.map((value) => {
            const { label, icon } = displayOf("run", value);
            return { value, label, icon };
          })}
          chosen={status}
          onChange={setStatus}
        />
        {agentId === null ? agent.menu : null}
        {issue.menu}
        <ErrorFilter runs={runs.rows} chosen={errorCode} onChoose={chooseError} />
        {dayMenu}
      </search>
      <Pages of={runs} empty={<NoRun isNarrowed={isNarrowed} path={path} />}>
        <RunTable
          label="Runs"
          runs={runs.rows}
          pathOf={(id) => here(`/runs/${id}`)}
          withAgent={agentId === null}
        />
      </Pages>
    </>
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

const NoRun = ({ isNarrowed, path }: { readonly isNarrowed: boolean; readonly path: string }) => {
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
      action={<LinkButton to={path}>Clear filters</LinkButton>}
    />
  );
};
