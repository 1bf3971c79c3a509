import { type ReactNode, useCallback, useMemo, useState } from "react";
import { useSearchParams } from "wouter";
import { usePages, useRead } from "../../live/calls.ts";
import { useCompany, useMayHere } from "../../nouns/companies/company.tsx";
import type { IssueChoice } from "../../nouns/issues/issue-fields.tsx";
import { NewIssue } from "../../nouns/issues/new-issue.tsx";
import { issueRowsOf } from "../../nouns/list-inputs.ts";
import { Button } from "../../widgets/button.tsx";
import { Empty } from "../../widgets/empty.tsx";
import { useKeys } from "../../widgets/keys.tsx";
import { Page } from "../../widgets/page.tsx";
import { Unread } from "../../widgets/unread.tsx";
import { BulkBar } from "./bulk-bar.tsx";
import { FieldKeys } from "./field-keys.tsx";
import { FilterBar } from "./filter-bar.tsx";
import { IssueBoard } from "./issue-board.tsx";
import {
  columnsNamed,
  type IssueColumn,
  type IssueFilters,
  inputOf,
  isNarrowed,
  noFilters,
  useIssueFilters,
} from "./issue-filters.tsx";
import { useListRows } from "./issue-groups.tsx";
import { IssueList } from "./issue-list.tsx";

type Begun = IssueChoice["changes"];

/** Whether the address opens the form of a new issue, with which values it begins, and what opens and closes it. */
const useMaking = () => {
  const [params, setParams] = useSearchParams();
  const [begun, setBegun] = useState<Begun>({});
  const setMaking = (isOpen: boolean) =>
    setParams(
      (before) => {
        const after = new URLSearchParams(before);
        if (isOpen) after.set("new", "");
        else after.delete("new");
        return after;
      },
      { replace: true },
    );
  const make = (changes: Begun) => {
    setBegun(changes);
    setMaking(true);
  };
  return { isMaking: params.has("new"), begun, make, close: () => setMaking(false) };
};

/** Rows and cards do not repeat what the head of their group says; they get the same columns each time. */
const useRowColumns = ({ columns, group }: IssueFilters): ReadonlySet<IssueColumn> => {
  const named = columnsNamed(columns);
  return useMemo(() => new Set([...columns].filter((column) => column !== group)), [named, group]);
};

/** The name of the project of an issue. */
const useProjectNames = () => {
  const { id: companyId } = useCompany();
  const { data } = useRead("projects.list", { companyId });
  return useCallback(
    ({ projectId }: { readonly projectId: string | null }): string | null =>
      data?.items.find(({ id }) => id === projectId)?.name ?? null,
    [data],
  );
};

type Listed = ReturnType<typeof usePages<"issues.list">>;

const MoreIssues = ({ of: list }: { readonly of: Listed }) =>
  list.hasNextPage ? (
    <div className="table-more">
      <Button busy={list.isFetchingNextPage} onClick={list.more ?? undefined}>
        Show more
      </Button>
    </div>
  ) : null;

interface NoIssuesProps {
  /** Clears the filters; null: none is set. */
  readonly onClear: (() => void) | null;
  readonly newIssue: ReactNode;
}

const NoIssues = ({ onClear, newIssue }: NoIssuesProps) =>
  onClear === null ? (
    <Empty icon="circle-dot" title="No open issues" action={newIssue}>
      Issues are the company's work. Create one and assign it to an agent to start.
    </Empty>
  ) : (
    <Empty
      icon="list-filter"
      title="No issues match your filters"
      action={<Button onClick={onClear}>Clear filters</Button>}
    />
  );

export const IssuesScreen = () => {
  const { id: companyId } = useCompany();
  const mayWork = useMayHere("createIssue");
  const mayChange = useMayHere("updateIssues");
  const [filters, change] = useIssueFilters();
  const input = inputOf(companyId, filters);
  const isGrouped = filters.view === "list" && filters.group !== "none";
  const list = usePages("issues.list", issueRowsOf(input, { sort: filters.sort, isGrouped }));
  const grouped = useListRows(list.rows, isGrouped ? filters.group : "none");
  const projectOf = useProjectNames();
  const columns = useRowColumns(filters);
  const count = useRead("issues.count", input);
  const { isMaking, begun, make, close } = useMaking();
  const onAdd = mayWork ? ({ changes }: IssueChoice) => make(changes) : null;
  const isBoard = filters.view === "board";
  const switchView = () => change({ view: isBoard ? "" : "board" });
  useKeys([
    ...(mayWork ? [{ keys: "c", does: "Create issue", run: () => make({}) }] : []),
    { keys: "v", does: "Switch between list and board", run: switchView },
  ]);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const newIssue = mayWork ? (
    <Button kind="main" icon="plus" onClick={() => make({})}>
      New issue
    </Button>
  ) : undefined;
  return (
    <Page title="Issues" fills actions={newIssue}>
      <FilterBar filters={filters} onChange={change} count={count.data?.count} />
      {list.isPending || list.isError ? (
        <Unread read={list} rows={12} />
      ) : list.rows.length === 0 ? (
        <NoIssues onClear={isNarrowed(filters) ? () => change(noFilters) : null} newIssue={newIssue} />
      ) : (
        <>
          {isBoard ? (
            <IssueBoard
              // It has other columns, in which nothing is dragged.
              key={filters.group}
              issues={list.rows}
              group={filters.group}
              columns={columns}
              projectOf={projectOf}
              onAdd={onAdd}
            />
          ) : (
            <IssueList
              {...grouped}
              // A page more may go between rows of a group: only when a person wants it.
              more={isGrouped ? null : list.more}
              chosen={mayChange ? chosen : null}
              onChoose={setChosen}
              columns={columns}
              projectOf={projectOf}
              onAdd={onAdd}
            />
          )}
          {isBoard || isGrouped ? <MoreIssues of={list} /> : null}
          {mayChange ? <FieldKeys issues={list.rows} /> : null}
          {chosen.size === 0 || isBoard ? null : (
            <BulkBar
              issues={list.rows.filter(({ id }) => chosen.has(id))}
              onClear={() => setChosen(new Set())}
            />
          )}
        </>
      )}
      {isMaking && mayWork ? <NewIssue begun={begun} onClose={close} /> : null}
    </Page>
  );
};
