import { type ReactNode, useEffect, useLayoutEffect, useRef, useState } from "react";
import { Link } from "wouter";
import { isClosed } from "../../../../core/model/issues/issue-status.ts";
import type { RowOf } from "../../live/calls.ts";
import { Avatar } from "../../nouns/avatar.tsx";
import { useCompany, useHere, useMayHere } from "../../nouns/companies/company.tsx";
import { assigneeOf, unassigned } from "../../nouns/issues/assignees.ts";
import { useChangeIssue } from "../../nouns/issues/change-issues.ts";
import { type IssueChoice, type IssueField, useIssueFields } from "../../nouns/issues/issue-fields.tsx";
import { useNames } from "../../nouns/names.ts";
import { issueStatusShown, PriorityMark, Status } from "../../nouns/status.tsx";
import { Icon } from "../../widgets/icon.tsx";
import { useKeys } from "../../widgets/keys.tsx";
import { Menu, type MenuItem } from "../../widgets/menu.tsx";
import { useToasts } from "../../widgets/toasts.tsx";
import { rowProps, useVirtualRows } from "../../widgets/virtual-rows.ts";

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

interface Column {
  readonly key: string;
  readonly label: string;
  readonly head: ReactNode;
  readonly issues: readonly Issue[];
  /** The value that its issues have; null: one that is given to none any more. */
  readonly choice: IssueChoice | null;
}

/** Whether a column without issues is shown, because issues are dropped there. */
const staysEmpty = ({ changes }: IssueChoice): boolean =>
  changes.status === undefined ? changes === unassigned : !isClosed(changes.status);

/** The columns in the order of the values of a field; issues of agents and people who take no more work come last. */
const useColumns = (issues: readonly Issue[], { choices }: IssueField): readonly Column[] => {
  const nameOf = useNames();
  const columns = choices.flatMap((choice): Column[] => {
    const own = issues.filter(choice.isOf);
    if (own.length === 0 && !staysEmpty(choice)) return [];
    const { label, icon, mark, changes } = choice;
    const head =
      changes.status === undefined ? (
        <>
          {mark ?? <Icon name={icon} />}
          <span className="cut">{label}</span>
        </>
      ) : (
        <Status of="issue" status={changes.status} />
      );
    return [{ key: label, label, head, issues: own, choice }];
  });
  const others = issues.filter((issue) => !choices.some(({ isOf }) => isOf(issue)));
  return [
    ...columns,
    ...[...new Set(others.map(assigneeOf))].map((id): Column => {
      const own = others.filter((issue) => assigneeOf(issue) === id);
      const named = nameOf(id);
      const head = (
        <>
          <Avatar {...named} />
          <span className="cut">{named.name}</span>
        </>
      );
      return { key: id ?? "", label: named.name, head, issues: own, choice: null };
    }),
  ];
};

interface IssueBoardProps {
  readonly issues: readonly Issue[];
  readonly group: "status" | "assignee";
}

/** Issues in columns by status or assignee. What cannot be reached from where an issue is takes no drop. */
export const IssueBoard = ({ issues, group }: IssueBoardProps) => {
  const name = group === "status" ? "status" : "assigneeAgentId";
  const field = useIssueFields(useCompany().id).find((each) => each.name === name)!;
  const columns = useColumns(issues, field);
  const say = useToasts();
  const [held, setHeld] = useState<Issue | null>(null);
  useBoardKeys();
  useFocusThatMoves();
  const { change } = useChangeIssue({ onRefused: say.refused });
  const openTo = (issue: Issue, { isOf, isOpenTo }: IssueChoice) =>
    !isOf(issue) && (isOpenTo?.(issue) ?? true);
  const give = (issue: Issue, { changes, done }: IssueChoice) =>
    change(issue, changes, done(issue.identifier));
  return (
    <div className="issues-board" data-scrolls>
      {columns.map(({ key, label, head, issues: own, choice }) => {
        const takes = held !== null && choice !== null && openTo(held, choice);
        return (
          <section
            key={key}
            aria-label={label}
            className={takes ? "issues-column takes" : "issues-column"}
            onDragOver={(event) => {
              if (takes) event.preventDefault();
            }}
            onDrop={() => {
              if (takes) give(held, choice);
              setHeld(null);
            }}
          >
            <h2 className="row">
              {head}
              <span className="faint">{own.length}</span>
            </h2>
            <ColumnList
              issues={own}
              show={(issue) => (
                <BoardIssue
                  issue={issue}
                  group={group}
                  moves={field.choices
                    .filter((to) => openTo(issue, to))
                    .map((to) => ({ label: to.label, icon: to.icon, run: () => give(issue, to) }))}
                  onHold={setHeld}
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

const ColumnList = ({ issues, show }: ColumnListProps) => {
  const list = useRef<HTMLUListElement>(null);
  const rows = useVirtualRows(list, issues, ({ id }) => id, 84);
  return (
    <ul ref={list} className="issues-cards">
      {rows.shown.map((shown) => (
        <li key={shown.row.id} {...rowProps(rows, shown, issues.length)}>
          {show(shown.row)}
        </li>
      ))}
    </ul>
  );
};

interface BoardIssueProps extends Pick<IssueBoardProps, "group"> {
  readonly issue: Issue;
  readonly moves: readonly MenuItem[];
  /** It is dragged, or no longer. */
  readonly onHold: (issue: Issue | null) => void;
}

const BoardIssue = ({ issue, group, moves, onHold }: BoardIssueProps) => {
  const here = useHere();
  const nameOf = useNames();
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
        <span className="mono faint">{issue.identifier}</span>
        <PriorityMark priority={issue.priority} bare />
        {group === "status" && shown === issue.status ? null : <Status of="issue" status={shown} bare />}
        <span className="grow" />
        {mayWork ? (
          <Menu
            label={`Move ${issue.identifier}`}
            className="button quiet small icon-only"
            button={<Icon name="ellipsis" />}
            align="end"
            items={moves}
          />
        ) : null}
      </div>
      <Link href={here(`/issues/${issue.identifier}`)} className="issues-card-title">
        {issue.title}
      </Link>
      {group === "assignee" || assigneeOf(issue) === null ? null : (
        <span className="row muted">
          <Avatar {...nameOf(assigneeOf(issue))} />
          <span className="cut">{nameOf(assigneeOf(issue)).name}</span>
        </span>
      )}
    </article>
  );
};
