import { memo, type ReactNode, useCallback, useEffect, useLayoutEffect, useRef, useState } from "react";
import { Link } from "wouter";
import type { RowOf } from "../../live/calls.ts";
import { Avatar } from "../../nouns/avatar.tsx";
import { useHere, useMayHere } from "../../nouns/companies/company.tsx";
import { assigneeOf } from "../../nouns/issues/assignees.ts";
import { useChangeIssue } from "../../nouns/issues/change-issues.ts";
import type { IssueChoice } from "../../nouns/issues/issue-fields.tsx";
import { useNames } from "../../nouns/names.ts";
import { issueStatusShown, PriorityMark, Status } from "../../nouns/status.tsx";
import { Icon } from "../../widgets/icon.tsx";
import { useKeys } from "../../widgets/keys.tsx";
import { Menu, type MenuItem } from "../../widgets/menu.tsx";
import { Time } from "../../widgets/time.tsx";
import { useToasts } from "../../widgets/toasts.tsx";
import { rowProps, useVirtualRows } from "../../widgets/virtual-rows.ts";
import { AddToGroup } from "./add-to-group.tsx";
import type { IssueColumn, IssueGrouping } from "./issue-filters.tsx";
import { staysAsColumn, useGroupField, useIssueGroups } from "./issue-groups.tsx";
import { IssueLabels, IssueProject } from "./issue-marks.tsx";

type Issue = RowOf<"issues.list">;

/** Moves the focus between cards: within a column, or to the same row of the next one that has any. */
const moveFocus = (along: number, across: number): void => {
  const columns = [...document.querySelectorAll(".issues-column")]
    .map((column) => [...column.querySelectorAll<HTMLElement>("[data-index]")])
    .filter((cards) => cards.length > 0);
  const focused = document.activeElement?.closest<HTMLElement>("[data-index]") ?? null;
  const column = columns.findIndex((cards) => focused !== null && cards.includes(focused));
  // Of a long column only some cards are in the page.
  const row = focused === null ? -1 : Number(focused.dataset.index);
  const distance = (card: HTMLElement) => Math.abs(Number(card.dataset.index) - (row + along));
  const [to] = (columns[Math.max(0, Math.min(columns.length - 1, column + across))] ?? []).toSorted(
    (one, other) => distance(one) - distance(other),
  );
  to?.querySelector<HTMLElement>(".issues-card-title")?.focus();
};

const useBoardKeys = () =>
  useKeys([
    { keys: "ArrowDown", does: "Next issue of the column", run: () => moveFocus(1, 0) },
    { keys: "ArrowUp", does: "Previous issue of the column", run: () => moveFocus(-1, 0) },
    { keys: "ArrowRight", does: "To the next column", run: () => moveFocus(0, 1) },
    { keys: "ArrowLeft", does: "To the column before", run: () => moveFocus(0, -1) },
  ]);

/** The focus goes with its card to another column. */
const useFocusThatMoves = () => {
  const issueId = useRef<string | undefined>(undefined);
  useEffect(() => {
    const note = () => {
      issueId.current = document.activeElement?.closest<HTMLElement>(".issues-card")?.dataset.issue;
    };
    const forget = () => {
      issueId.current = undefined;
    };
    document.addEventListener("focusin", note);
    document.addEventListener("pointerdown", forget);
    return () => {
      document.removeEventListener("focusin", note);
      document.removeEventListener("pointerdown", forget);
    };
  }, []);
  useLayoutEffect(() => {
    if (issueId.current === undefined || document.activeElement !== document.body) return;
    document.querySelector<HTMLElement>(`[data-issue="${issueId.current}"] .issues-card-title`)?.focus();
  });
};

interface IssueBoardProps extends Pick<BoardIssueProps, "columns" | "group" | "projectOf"> {
  readonly issues: readonly Issue[];
  /** Opens the form of a new issue with the value of a column; null: the person may make none. */
  readonly onAdd: ((choice: IssueChoice) => void) | null;
}

/** Issues in columns by the values of a field. What cannot be reached from where an issue is takes no drop. */
export const IssueBoard = ({ issues, group, onAdd, ...shown }: IssueBoardProps) => {
  const field = useGroupField(group);
  const groups = useIssueGroups(issues, field, staysAsColumn);
  const say = useToasts();
  const [dragged, setDragged] = useState<Issue | null>(null);
  useBoardKeys();
  useFocusThatMoves();
  const { change } = useChangeIssue({ onRefused: say.refused });
  const openTo = (issue: Issue, { isOf, isOpenTo }: IssueChoice) =>
    !isOf(issue) && (isOpenTo?.(issue) ?? true);
  const give = (issue: Issue, { changes, done }: IssueChoice) =>
    change(issue, changes, done(issue.identifier));
  const movesOf = (issue: Issue) => (field?.choices ?? []).filter((to) => openTo(issue, to));
  // Cards get the same function each time: one is rendered again only where what it shows changes.
  const moves = useRef((_: Issue): readonly MenuItem[] => []);
  moves.current = (issue) =>
    movesOf(issue).map((to) => ({ label: to.label, icon: to.icon, run: () => give(issue, to) }));
  const onMoves = useCallback((issue: Issue) => moves.current(issue), []);
  return (
    <div className="issues-board" data-scrolls>
      {groups.map(({ key, label, head, issues: own, choice }) => {
        const takes = dragged !== null && choice !== null && openTo(dragged, choice);
        return (
          <section
            key={key}
            aria-label={label}
            className={takes ? "issues-column takes" : "issues-column"}
            onDragOver={(event) => {
              if (takes) event.preventDefault();
            }}
            onDrop={() => {
              if (takes) give(dragged, choice);
              setDragged(null);
            }}
          >
            <div className="row">
              <h2 className="row grow">
                {head}
                <span className="faint">{own.length}</span>
              </h2>
              <AddToGroup label={label} choice={choice} onAdd={onAdd} />
            </div>
            <ColumnList
              issues={own}
              show={(issue) => (
                <BoardIssue
                  {...shown}
                  issue={issue}
                  group={group}
                  canMove={movesOf(issue).length > 0}
                  onMoves={onMoves}
                  onHold={setDragged}
                />
              )}
            />
          </section>
        );
      })}
    </div>
  );
};

interface ColumnListProps {
  readonly issues: readonly Issue[];
  readonly show: (issue: Issue) => ReactNode;
}

/** With the gap below it. */
const issueHeight = 84;
/** Cards that a column gets at a time. */
const issuesAtOnce = 3;

/** How many cards of a column are drawn: a few more at a time, so that the page answers in between. */
const useGrowing = (count: number): number => {
  const [drawn, setDrawn] = useState(issuesAtOnce);
  useEffect(() => {
    if (drawn >= count) return;
    const timer = setTimeout(() => setDrawn(drawn + issuesAtOnce));
    return () => clearTimeout(timer);
  }, [drawn, count]);
  return Math.min(drawn, count);
};

const ColumnList = ({ issues, show }: ColumnListProps) => {
  const list = useRef<HTMLUListElement>(null);
  const rows = useVirtualRows(list, issues, ({ id }) => id, issueHeight);
  const drawn = useGrowing(rows.shown.length);
  const missing = rows.shown.length - drawn;
  return (
    <ul
      ref={list}
      className="issues-cards"
      style={missing > 0 ? { paddingBottom: missing * issueHeight } : {}}
    >
      {rows.shown.slice(0, drawn).map((shown) => (
        <li key={shown.row.id} {...rowProps(rows, shown, issues.length)}>
          {show(shown.row)}
        </li>
      ))}
    </ul>
  );
};

interface BoardIssueProps {
  readonly issue: Issue;
  readonly group: IssueGrouping;
  readonly columns: ReadonlySet<IssueColumn>;
  readonly projectOf: (issue: Issue) => string | null;
  /** Whether it has another column to go to; `onMoves` names them. */
  readonly canMove: boolean;
  readonly onMoves: (issue: Issue) => readonly MenuItem[];
  /** It is dragged, or no longer. */
  readonly onHold: (issue: Issue | null) => void;
}

/** A card; it does not repeat what its column says. */
const BoardIssue = memo((props: BoardIssueProps) => {
  const { issue, group, columns, projectOf, canMove, onMoves, onHold } = props;
  const here = useHere();
  const mayWork = useMayHere("updateIssues");
  const shown = issueStatusShown(issue);
  return (
    <article
      className="issues-card"
      data-issue={issue.id}
      draggable={mayWork}
      onDragStart={({ currentTarget }) => {
        // The card with the focus stays in the page, wherever its column is scrolled.
        currentTarget.querySelector<HTMLElement>(".issues-card-title")?.focus({ preventScroll: true });
        onHold(issue);
      }}
      onDragEnd={() => onHold(null)}
    >
      <div className="row">
        {columns.has("identifier") ? <span className="mono faint">{issue.identifier}</span> : null}
        {columns.has("priority") ? <PriorityMark priority={issue.priority} bare /> : null}
        {group === "status" && shown === issue.status ? null : <Status of="issue" status={shown} bare />}
        <span className="grow" />
        {columns.has("updated") ? (
          <span className="muted issues-card-facts">
            <Time at={issue.lastActivityAt} />
          </span>
        ) : null}
        {mayWork && canMove ? (
          <Menu
            label={`Move ${issue.identifier}`}
            className="button quiet small icon-only"
            button={<Icon name="ellipsis" />}
            align="end"
            items={() => onMoves(issue)}
          />
        ) : null}
      </div>
      <Link href={here(`/issues/${issue.identifier}`)} className="issues-card-title">
        {issue.title}
      </Link>
      <BoardFacts issue={issue} columns={columns} project={projectOf(issue)} />
    </article>
  );
});

interface BoardFactsProps extends Pick<BoardIssueProps, "issue" | "columns"> {
  readonly project: string | null;
}

/** Nothing where the issue has none of them. */
const BoardFacts = ({ issue, columns, project }: BoardFactsProps) => {
  const nameOf = useNames();
  const assigneeId = assigneeOf(issue);
  const labels = columns.has("labels") ? (issue.labels ?? []) : [];
  const assignee = columns.has("assignee") && assigneeId !== null ? nameOf(assigneeId) : null;
  return (
    <>
      {labels.length === 0 && (project === null || !columns.has("project")) ? null : (
        <div className="row-wrap issues-card-facts">
          <IssueLabels labels={labels} />
          {columns.has("project") ? <IssueProject name={project} /> : null}
        </div>
      )}
      {assignee === null ? null : (
        <div className="row muted issues-card-facts">
          <Avatar {...assignee} />
          <span className="cut">{assignee.name}</span>
        </div>
      )}
    </>
  );
};
