import { Link, useSearchParams } from "wouter";
import { type AnswerOf, useRead } from "../../live/calls.ts";
import { Avatar } from "../../nouns/avatar.tsx";
import { useCompany, useHere, useMayHere } from "../../nouns/companies/company.tsx";
import { useNames } from "../../nouns/names.ts";
import { wakeCause } from "../../nouns/runs/wake-cause.ts";
import { Status } from "../../nouns/status.tsx";
import { useAddressValue } from "../../widgets/address-filter.ts";
import { Button } from "../../widgets/button.tsx";
import { Empty } from "../../widgets/empty.tsx";
import { FilterMenu } from "../../widgets/filter-menu.tsx";
import { FindField } from "../../widgets/find-field.tsx";
import { useKeys } from "../../widgets/keys.tsx";
import { matches } from "../../widgets/matches.ts";
import { Money } from "../../widgets/money.tsx";
import { Page } from "../../widgets/page.tsx";
import { useRowKeys } from "../../widgets/row-keys.ts";
import { type Column, Table } from "../../widgets/table.tsx";
import { Time } from "../../widgets/time.tsx";
import { Unread } from "../../widgets/unread.tsx";
import { NewAgent } from "./new-agent.tsx";

/** The agents of a company, the present work of each, and its cost this month. */
export const AgentsScreen = () => {
  const { id: companyId } = useCompany();
  const columns = useColumns();
  const mayWork = useMayHere("createAgent");
  const [params, setParams] = useSearchParams();
  const holdFilter = useHoldFilter();
  const order = useOrder();
  const grouping = useGrouping();
  const [q, setQ] = useAddressValue("q");
  const agents = useRead("agents.list", { companyId });
  const isMaking = mayWork && params.has("new");
  const setMaking = (isOpen: boolean) => setParams(isOpen ? { new: "" } : {}, { replace: true });
  useRowKeys(".table-title", "agent");
  useKeys(mayWork ? [{ keys: "c", does: "Hire an agent", run: () => setMaking(true) }] : []);
  const hire = mayWork ? (
    <Button kind="main" icon="plus" onClick={() => setMaking(true)}>
      Hire agent
    </Button>
  ) : undefined;
  return (
    <Page title="Agents" actions={hire}>
      <search className="filters">
        <FindField label="Search agents" value={q ?? ""} onChange={setQ} />
        {holdFilter.menu}
        {order.menu}
        {grouping.menu}
      </search>
      {agents.isPending || agents.isError ? (
        <Unread read={agents} />
      ) : agents.data.length === 0 ? (
        <Empty icon="bot" title="No agents yet" action={hire}>
          Agents do the company's work. Each runs a coding CLI or any program that speaks HTTP.
        </Empty>
      ) : (
        groupsOf(
          order.sorted(
            agents.data.filter(
              (agent) =>
                holdFilter.shows(agent) &&
                matches(`${agent.name} ${agent.title ?? ""} ${agent.role}`, q ?? ""),
            ),
          ),
          grouping.isByManager,
        ).map(({ manager, agents }) => (
          <AgentTable key={manager} manager={manager} agents={agents} columns={columns} />
        ))
      )}
      {isMaking ? <NewAgent onClose={() => setMaking(false)} /> : null}
    </Page>
  );
};

type Listed = AnswerOf<"agents.list">[number];

const useColumns = (): readonly Column<Listed>[] => {
  const here = useHere();
  const nameOf = useNames();
  return [
    {
      key: "name",
      title: "Agent",
      grows: true,
      cell: (agent) => (
        <Link href={here(`/agents/${agent.id}`)} className="row table-title">
          <Avatar kind="agent" name={agent.name} status={agent.status} />
          <span className="cut">{agent.name}</span>
        </Link>
      ),
    },
    { key: "role", title: "Role", wideOnly: true, cell: ({ role, title }) => title ?? role },
    { key: "status", title: "Status", cell: ({ status }) => <Status of="agent" status={status} /> },
    {
      key: "work",
      title: "Current issue",
      wideOnly: true,
      cell: ({ currentRun }) => (currentRun === null ? "" : <CurrentRun run={currentRun} />),
    },
    {
      key: "manager",
      title: "Reports to",
      wideOnly: true,
      cell: ({ reportsTo }) => (reportsTo === null ? "" : nameOf(reportsTo).name),
    },
    {
      key: "last",
      title: "Last run",
      wideOnly: true,
      cell: ({ lastHeartbeatAt }) => (lastHeartbeatAt === null ? "" : <Time at={lastHeartbeatAt} />),
    },
    {
      key: "spent",
      title: "This month",
      align: "end",
      wideOnly: true,
      cell: ({ spentMonthlyCents }) => <Money cents={spentMonthlyCents} />,
    },
  ];
};

const orders: Readonly<
  Record<string, { readonly label: string; readonly by: (a: Listed, b: Listed) => number }>
> = {
  name: { label: "Name", by: (a, b) => a.name.localeCompare(b.name) },
  hired: { label: "Date hired", by: (a, b) => a.createdAt.localeCompare(b.createdAt) },
  last: {
    label: "Last run",
    by: (a, b) => (b.lastHeartbeatAt ?? "").localeCompare(a.lastHeartbeatAt ?? ""),
  },
  spend: { label: "Spend this month", by: (a, b) => b.spentMonthlyCents - a.spentMonthlyCents },
};

/** The order of the list, as the address says it: it is one of all agents, which the page has. */
const useOrder = () => {
  const [named, setNamed] = useAddressValue("sort");
  const chosen = named !== null && named in orders ? named : "name";
  const menu = (
    <FilterMenu
      label="Order"
      shown={orders[chosen]!.label}
      isNarrowed={false}
      items={Object.entries(orders).map(([name, { label }]) => ({
        label,
        isChosen: name === chosen,
        run: () => setNamed(name === "name" ? null : name),
      }))}
    />
  );
  return { menu, sorted: (agents: readonly Listed[]) => agents.toSorted(orders[chosen]!.by) };
};

/** Whether the list stands by manager, as the address says it. */
const useGrouping = () => {
  const [named, setNamed] = useAddressValue("group");
  const isByManager = named === "manager";
  const menu = (
    <FilterMenu
      label="Group"
      shown={isByManager ? "By manager" : "No grouping"}
      isNarrowed={false}
      items={[
        { label: "No grouping", isChosen: !isByManager, run: () => setNamed(null) },
        { label: "By manager", isChosen: isByManager, run: () => setNamed("manager") },
      ]}
    />
  );
  return { menu, isByManager };
};

interface AgentGroup {
  /** null: the board; undefined: the list is not grouped. */
  readonly manager: string | null | undefined;
  readonly agents: readonly Listed[];
}

/** The agents below each manager, those of the board first. */
const groupsOf = (agents: readonly Listed[], isByManager: boolean): readonly AgentGroup[] => {
  if (!isByManager) return [{ manager: undefined, agents }];
  const groups = new Map<string | null, Listed[]>();
  for (const agent of agents) groups.set(agent.reportsTo, [...(groups.get(agent.reportsTo) ?? []), agent]);
  return [...groups]
    .map(([manager, below]) => ({ manager, agents: below }))
    .sort((one, other) => Number(one.manager !== null) - Number(other.manager !== null));
};

interface AgentTableProps extends AgentGroup {
  readonly columns: readonly Column<Listed>[];
}

const AgentTable = ({ manager, agents, columns }: AgentTableProps) => {
  const nameOf = useNames();
  const name = manager === undefined ? null : manager === null ? "The board" : nameOf(manager).name;
  const table = (
    <Table
      label={name === null ? "Agents" : `Agents that report to ${name}`}
      rows={agents}
      rowKey={({ id }) => id}
      columns={name === null ? columns : columns.filter(({ key }) => key !== "manager")}
    />
  );
  if (name === null) return table;
  return (
    <section className="agents-below">
      <h2 className="agents-group">
        {name} <span className="faint">{agents.length}</span>
      </h2>
      {table}
    </section>
  );
};

/** Narrows the list to the agents that something holds, as the pulse counts them: `?held` of the address. */
const useHoldFilter = () => {
  const { id: companyId } = useCompany();
  const [params, setParams] = useSearchParams();
  const isNarrowed = params.has("held");
  const { data } = useRead("companies.pulse", { companyId }, { enabled: isNarrowed });
  const ids = data?.agents.filter(({ situation }) => situation.state === "held").map(({ id }) => id);
  const menu = (
    <FilterMenu
      label="Filter by status"
      shown={isNarrowed ? "On hold" : "All agents"}
      isNarrowed={isNarrowed}
      items={[
        { label: "All agents", isChosen: !isNarrowed, run: () => setParams({}, { replace: true }) },
        { label: "On hold", isChosen: isNarrowed, run: () => setParams({ held: "" }, { replace: true }) },
      ]}
    />
  );
  return { menu, shows: ({ id }: { readonly id: string }) => !isNarrowed || (ids?.includes(id) ?? false) };
};

type Running = NonNullable<AnswerOf<"agents.list">[number]["currentRun"]>;

const CurrentRun = ({ run }: { readonly run: Running }) => {
  const here = useHere();
  return (
    <Link
      href={here(`/runs/${run.id}`)}
      className="agents-work cut quiet-link"
      title={run.issueTitle ?? undefined}
    >
      {run.issueIdentifier === null ? wakeCause(run.wakeReason) : `${run.issueIdentifier} ${run.issueTitle}`}
    </Link>
  );
};
