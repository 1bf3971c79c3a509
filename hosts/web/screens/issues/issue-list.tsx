import { useVirtualizer } from "@tanstack/react-virtual";
import { memo, useCallback, useEffect, useLayoutEffect, useRef, useState, useSyncExternalStore } from "react";
import { Link, useLocation } from "wouter";
import type { RowOf } from "../../live/calls.ts";
import { Avatar } from "../../nouns/avatar.tsx";
import { useHere } from "../../nouns/companies/company.tsx";
import { assigneeOf } from "../../nouns/issues/assignees.ts";
import type { IssueChoice } from "../../nouns/issues/issue-fields.tsx";
import { type Named, useNames } from "../../nouns/names.ts";
import { issueStatusShown, PriorityMark, Status } from "../../nouns/status.tsx";
import { useOverscan } from "../../widgets/after-paint.ts";
import { useKeys } from "../../widgets/keys.tsx";
import { Time } from "../../widgets/time.tsx";
import { AddToGroup } from "./add-to-group.tsx";
import type { IssueColumn } from "./issue-filters.tsx";
import type { IssueGroup, ListRow } from "./issue-groups.tsx";
import { IssueLabels, IssueProject } from "./issue-marks.tsx";
import { useLongPress } from "./use-long-press.ts";

type Issue = RowOf<"issues.list">;

interface IssueListProps {
  /** In the order of the rows. */
  readonly issues: readonly Issue[];
  readonly rows: readonly ListRow[];
  /** Reads the next page; null if this is the last one or the next is loading, or where a page would go between rows. */
  readonly more: (() => void) | null;
  /** The ids of those that are chosen to be changed together; null: this person may change none. */
  readonly chosen: ReadonlySet<string> | null;
  readonly onChoose: (chosen: ReadonlySet<string>) => void;
  readonly columns: ReadonlySet<IssueColumn>;
  readonly projectOf: (issue: Issue) => string | null;
  /** Opens the form of a new issue with the value of a group; null: the person may make none. */
  readonly onAdd: ((choice: IssueChoice) => void) | null;
}

/** As `--issues-row` in the styles. */
const phone = matchMedia("(width < 720px)");
const rowHeightNow = () => (phone.matches ? 60 : 36);
const onPhoneChange = (changed: () => void) => {
  phone.addEventListener("change", changed);
  return () => phone.removeEventListener("change", changed);
};
/** Rows that come and go together while the list is scrolled. */
const blockRows = 4;
/** The height of the list that was shown last: the rows below it are drawn after the paint. */
let lastHeight = Number.POSITIVE_INFINITY;
/** Rows left below when the next page is read. */
const ahead = 60;

/**
 * The blocks of rows that can be seen, and a few more; reads on before their end, and moves to a row by its index.
 *
 * Not `useVirtualRows`, which measures rows of any height one by one and scrolls with the page. These rows have the same height,
 * so none is measured; they are added and removed in blocks, and the list has a scroll container of its own.
 */
const useBlocks = (rows: readonly ListRow[], more: IssueListProps["more"]) => {
  const count = rows.length;
  const positions = rows.flatMap(({ type }, position) => (type === "issue" ? [position] : []));
  const scroller = useRef<HTMLDivElement>(null);
  const rowHeight = useSyncExternalStore(onPhoneChange, rowHeightNow);
  const overscan = useOverscan(2);
  const virtual = useVirtualizer({
    count: Math.ceil(count / blockRows),
    getScrollElement: () => scroller.current,
    estimateSize: () => blockRows * rowHeight,
    overscan,
    // About what will be seen, so that the rows are drawn before the list is measured.
    initialRect: { width: innerWidth, height: Math.min(lastHeight, innerHeight) },
  });
  useLayoutEffect(() => {
    lastHeight = scroller.current!.clientHeight || lastHeight;
  }, []);
  useLayoutEffect(() => {
    // Known heights are of rows of another height.
    if (rowHeight > 0) virtual.measure();
  }, [rowHeight, virtual]);
  const blocks = virtual.getVirtualItems();
  const last = ((blocks.at(-1)?.index ?? 0) + 1) * blockRows;
  useEffect(() => {
    if (more !== null && last >= count - ahead) more();
  }, [last, count, more]);
  const focusRow = (index: number) => {
    const element = scroller.current;
    if (element === null) return;
    const top = positions[index]! * rowHeight;
    element.scrollTop = Math.max(Math.min(element.scrollTop, top), top + rowHeight - element.clientHeight);
    // The row may not be there before it is scrolled to.
    requestAnimationFrame(() =>
      element.querySelector<HTMLElement>(`[data-index="${index}"] a`)?.focus({ preventScroll: true }),
    );
  };
  return { scroller, blocks, focusRow, rowHeight };
};

interface ListKeys extends Pick<IssueListProps, "chosen" | "onChoose"> {
  readonly move: (by: number) => void;
  readonly choose: (isRange: boolean) => void;
  readonly open: () => void;
}

const useListKeys = ({ chosen, onChoose, move, choose, open }: ListKeys) =>
  useKeys([
    { keys: "j", does: "Next issue", run: () => move(1) },
    { keys: "k", does: "Previous issue", run: () => move(-1) },
    ...(chosen === null
      ? []
      : [
          { keys: "x", does: "Select issue", run: () => choose(false) },
          { keys: "X", does: "Select up to this issue", run: () => choose(true) },
          ...(chosen.size === 0
            ? []
            : [{ keys: "Escape", does: "Clear selection", run: () => onChoose(new Set()) }]),
        ]),
    { keys: "Enter", does: "Open the issue", run: open },
  ]);

/** A list of any length in rows of one height, put into the page block by block: it is scrolled fastest so. */
export const IssueList = (props: IssueListProps) => {
  const { issues, rows, more, chosen, onChoose, columns, projectOf, onAdd } = props;
  const here = useHere();
  const nameOf = useNames();
  const [, go] = useLocation();
  const [at, setAt] = useState(-1);
  const { scroller, blocks, focusRow, rowHeight } = useBlocks(rows, more);
  const choose = useChoice(issues, chosen, onChoose);
  // Rows get the same functions each time: one is rendered again only where what it shows changes.
  const chooses = useRef(choose);
  chooses.current = choose;
  const onRowChoose = useCallback((index: number, isRange: boolean) => chooses.current(index, isRange), []);
  const onRowFocus = useCallback((index: number) => setAt(index), []);
  const pathOf = (issue: Issue) => here(`/issues/${issue.identifier}`);
  useListKeys({
    chosen,
    onChoose,
    move: (by) => {
      const next = Math.max(0, Math.min(issues.length - 1, at + by));
      setAt(next);
      focusRow(next);
    },
    choose: (isRange) => choose(at, isRange),
    open: () => {
      const issue = issues[at];
      if (issue !== undefined) go(pathOf(issue));
    },
  });
  const isChoosing = chosen !== null && chosen.size > 0;
  useLongPress(scroller, isChoosing, chosen === null ? null : onRowChoose);
  return (
    <div ref={scroller} className="issues-scroll">
      {/* biome-ignore lint/a11y/useSemanticElements: a virtual list is laid out by hand */}
      <div
        role="list"
        aria-label="Issues"
        className={`issues-list${chosen === null ? "" : " may-choose"}${isChoosing ? " choosing" : ""}`}
        style={{ height: rows.length * rowHeight }}
      >
        {blocks.map(({ index: block }) => {
          const first = block * blockRows;
          const shown = rows.slice(first, first + blockRows);
          return (
            <div
              key={block}
              className="issues-block"
              style={{ top: first * rowHeight, height: shown.length * rowHeight }}
            >
              {shown.map((row) =>
                row.type === "head" ? (
                  <GroupHead key={`head ${row.group.key}`} group={row.group} onAdd={onAdd} />
                ) : (
                  <IssueRow
                    key={row.issue.id}
                    issue={row.issue}
                    index={row.index}
                    count={issues.length}
                    path={pathOf(row.issue)}
                    {...assigneeShown(row.issue, nameOf)}
                    project={projectOf(row.issue)}
                    columns={columns}
                    isAt={row.index === at}
                    isChosen={chosen === null ? null : chosen.has(row.issue.id)}
                    onFocus={onRowFocus}
                    onChoose={onRowChoose}
                  />
                ),
              )}
            </div>
          );
        })}
      </div>
    </div>
  );
};

const GroupHead = ({
  group: { label, head, issues, choice },
  onAdd,
}: { readonly group: IssueGroup } & Pick<IssueListProps, "onAdd">) => (
  // biome-ignore lint/a11y/useSemanticElements: a virtual list is laid out by hand
  <div role="listitem" className="issues-group">
    <h2 className="row">{head}</h2>
    <span className="faint grow">{issues.length}</span>
    <AddToGroup label={label} choice={choice} onAdd={onAdd} />
  </div>
);

/** As properties of their own: a row is rendered again only where one of them changes. */
const assigneeShown = (issue: Issue, nameOf: ReturnType<typeof useNames>) => {
  const id = assigneeOf(issue);
  const assignee = id === null ? null : nameOf(id);
  return {
    assignee: assignee?.name ?? null,
    assigneeKind: assignee?.kind ?? ("system" as const),
    assigneeStatus: assignee?.status,
  };
};

/** Chooses a row, or with `isRange` all from the last choice to it. */
const useChoice = (
  issues: readonly Issue[],
  chosen: ReadonlySet<string> | null,
  onChoose: (chosen: ReadonlySet<string>) => void,
) => {
  const from = useRef(0);
  return (index: number, isRange: boolean) => {
    const issue = issues[index];
    if (chosen === null || issue === undefined) return;
    const next = new Set(chosen);
    const [first, last] = isRange
      ? [Math.min(from.current, index), Math.max(from.current, index)]
      : [index, index];
    const isOn = isRange || !chosen.has(issue.id);
    for (const { id } of issues.slice(first, last + 1)) {
      if (isOn) next.add(id);
      else next.delete(id);
    }
    from.current = index;
    onChoose(next);
  };
};

interface IssueRowProps {
  readonly issue: Issue;
  readonly index: number;
  /** Of the whole list. */
  readonly count: number;
  readonly path: string;
  readonly assignee: string | null;
  readonly assigneeKind: Named["kind"];
  readonly assigneeStatus: Named["status"];
  readonly project: string | null;
  readonly columns: ReadonlySet<IssueColumn>;
  readonly isAt: boolean;
  /** null: none can be chosen. */
  readonly isChosen: boolean | null;
  readonly onFocus: (index: number) => void;
  readonly onChoose: (index: number, isRange: boolean) => void;
}

const IssueRow = memo((props: IssueRowProps) => {
  const { issue, index, count, path, project, columns, isAt, isChosen, onFocus, onChoose } = props;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a virtual list is laid out by hand
    <div
      role="listitem"
      data-index={index}
      data-issue={issue.id}
      aria-setsize={count}
      aria-posinset={index + 1}
      className={`issues-row${isAt ? " at" : ""}${isChosen ? " chosen" : ""}`}
    >
      <span className="issues-lead">
        {columns.has("priority") ? <PriorityMark priority={issue.priority} bare /> : null}
        {isChosen === null ? null : (
          <label className="issues-choose">
            <input
              type="checkbox"
              aria-label={`Select ${issue.identifier}`}
              checked={isChosen}
              onChange={(event) =>
                onChoose(index, event.nativeEvent instanceof MouseEvent && event.nativeEvent.shiftKey)
              }
            />
          </label>
        )}
      </span>
      {columns.has("identifier") ? (
        <span className="mono faint issues-identifier">{issue.identifier}</span>
      ) : null}
      <Status of="issue" status={issueStatusShown(issue)} bare />
      <Link href={path} className="cut issues-title" onFocus={() => onFocus(index)}>
        {issue.title}
      </Link>
      <span className="issues-marks">
        {columns.has("labels") ? <IssueLabels labels={issue.labels ?? []} /> : null}
        {columns.has("project") ? <IssueProject name={project} /> : null}
      </span>
      {columns.has("assignee") ? <RowAssignee {...props} /> : null}
      {columns.has("updated") ? (
        <span className="issues-time muted">
          <Time at={issue.lastActivityAt} />
        </span>
      ) : null}
    </div>
  );
});

/** An empty circle stands for nobody. */
const RowAssignee = ({
  assignee,
  assigneeKind,
  assigneeStatus,
}: Pick<IssueRowProps, "assignee" | "assigneeKind" | "assigneeStatus">) => (
  <span className="issues-assignee">
    {assignee === null ? (
      <span className="issues-nobody" title="Unassigned">
        <span className="only-read">Unassigned</span>
      </span>
    ) : (
      <>
        <Avatar kind={assigneeKind} name={assignee} status={assigneeStatus} />
        <span className="cut">{assignee}</span>
      </>
    )}
  </span>
);
