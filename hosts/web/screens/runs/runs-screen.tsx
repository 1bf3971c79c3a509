import { isLive, runStatuses } from "../../../../core/runs/run-status.ts";
import { usePages } from "../../live/calls.ts";
import { useAddressFilter } from "../../parts/address-filter.ts";
import { useAgentFilter } from "../../parts/agent-filter.tsx";
import { Button, LinkButton } from "../../parts/button.tsx";
import { useDayFilter } from "../../parts/day-filter.tsx";
import { Empty } from "../../parts/empty.tsx";
import { FilterChoice } from "../../parts/filter-menu.tsx";
import { Pages } from "../../parts/pages.tsx";
import { RunTable } from "../../parts/run-table.tsx";
import { displayOf } from "../../parts/status.tsx";
import { useCompany, useHere } from "../../shell/company.tsx";
import { Page } from "../../shell/page.tsx";

/** The runs of a company, newest first. */
export const RunsScreen = () => {
  const { id: companyId } = useCompany();
  const here = useHere();
  const [status, setStatus] = useAddressFilter("status", runStatuses);
  const agent = useAgentFilter();
  const { day, period, menu: dayMenu, choose: chooseDay } = useDayFilter();
  const runs = usePages("runs.list", {
    companyId,
    limit: 100,
    ...(status.length === 0 ? {} : { status }),
    ...(agent.id === null ? {} : { agentId: agent.id }),
    // Those that have ended are of the day of their end, as the pulse counts them.
    ...(period === null
      ? {}
      : status.length > 0 && !status.some(isLive)
        ? { finishedFrom: period.from, finishedTo: period.to }
        : period),
  });
  const isNarrowed = status.length > 0 || agent.id !== null || day !== null;
  const clear = () => {
    setStatus([]);
    agent.choose(null);
    chooseDay(null);
  };
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
        {dayMenu}
      </search>
      <Pages
        of={runs}
        empty={
          !isNarrowed ? (
            <Empty
              icon="terminal"
              title="No run yet"
              action={<LinkButton to={here("/issues")}>Give an agent an issue</LinkButton>}
            >
              An agent runs when it is woken: by an issue, a comment, a timer, or a person.
            </Empty>
          ) : (
            <Empty
              icon="list-filter"
              title="No run is like that"
              action={<Button onClick={clear}>Clear the filter</Button>}
            />
          )
        }
      >
        <RunTable label="Runs" runs={runs.rows} pathOf={(id) => here(`/runs/${id}`)} />
      </Pages>
    </Page>
  );
};
