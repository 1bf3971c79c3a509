import { useState } from "react";
import { Link } from "wouter";
import { type IssueStatus, isClosed, issueStatuses } from "../../../../core/issues/issue-status.ts";
import { assigneeOf } from "../../actions/assignees.ts";
import { mayGo, useChangeIssue } from "../../actions/change-issues.ts";
import type { RowOf } from "../../live/calls.ts";
import { Avatar } from "../../parts/avatar.tsx";
import { Icon } from "../../parts/icon.tsx";
import { useKeys } from "../../parts/keys.tsx";
import { Menu } from "../../parts/menu.tsx";
import { useNames } from "../../parts/names.ts";
import { displayOf, issueStatusShown, PriorityMark, Status } from "../../parts/status.tsx";
import { useToasts } from "../../parts/toasts.tsx";
import { useHere, useMayHere } from "../../shell/company.tsx";

type Issue = RowOf<"issues.list">;

/** Moves the focus between cards: within a column, or to the same height of the next one that has any. */
const moveFocus = (along: number, across: number): void => {
  const columns = [...document.querySelectorAll(".issues-column")]
    .map((column) => [...column.querySelectorAll<HTMLElement>(".issues-card-title")])
    .filter((cards) => cards.length > 0);
  const focused = document.activeElement?.closest(".issues-card");
  const column = columns.findIndex((cards) => cards.some((card) => focused?.contains(card)));
  const row = columns[column]?.findIndex((card) => focused?.contains(card)) ?? -1;
  const to = columns[Math.max(0, Math.min(columns.length - 1, column + across))] ?? [];
  to[Math.max(0, Math.min(to.length - 1, row + along))]?.focus();
};

const useBoardKeys = () =>
  useKeys([
    { keys: "ArrowDown", does: "Next issue of the column", run: () => moveFocus(1, 0) },
    { keys: "ArrowUp", does: "Previous issue of the column", run: () => moveFocus(-1, 0) },
    { keys: "ArrowRight", does: "To the next column", run: () => moveFocus(0, 1) },
    { keys: "ArrowLeft", does: "To the column before", run: () => moveFocus(0, -1) },
  ]);

/** Issues in columns by status. What cannot be reached from where an issue is takes no drop. */
export const IssueBoard = ({ issues }: { readonly issues: readonly Issue[] }) => {
  const here = useHere();
  const nameOf = useNames();
  const mayWork = useMayHere("updateIssues");
  const say = useToasts();
  const [held, setHeld] = useState<Issue | null>(null);
  useBoardKeys();
  const { change } = useChangeIssue({ onRefused: say.refused });
  const move = (issue: Issue, status: IssueStatus) =>
    change(issue, { status }, `${issue.identifier} is ${displayOf("issue", status).word.toLowerCase()}.`);
  const shown = issueStatuses.filter(
    (status) => issues.some((issue) => issue.status === status) || !isClosed(status),
  );
  return (
    <div className="issues-board">
      {shown.map((status) => {
        const ofColumn = issues.filter((issue) => issue.status === status);
        const takes = held !== null && mayGo(held, status);
        return (
          <section
            key={status}
            aria-label={displayOf("issue", status).word}
            className={takes ? "issues-column takes" : "issues-column"}
            onDragOver={(event) => {
              if (takes) event.preventDefault();
            }}
            onDrop={() => {
              if (held !== null && takes) move(held, status);
              setHeld(null);
            }}
          >
            <h2 className="row">
              <Status of="issue" status={status} />
              <span className="faint">{ofColumn.length}</span>
            </h2>
            {ofColumn.map((issue) => {
              const goals = issueStatuses.filter((to) => to !== issue.status && mayGo(issue, to));
              return (
                <article
                  key={issue.id}
                  className="issues-card"
                  data-issue={issue.id}
                  draggable={mayWork}
                  onDragStart={() => setHeld(issue)}
                  onDragEnd={() => setHeld(null)}
                >
                  <div className="row">
                    <span className="mono faint">{issue.identifier}</span>
                    <PriorityMark priority={issue.priority} bare />
                    {issueStatusShown(issue) === status ? null : (
                      <Status of="issue" status={issueStatusShown(issue)} bare />
                    )}
                    <span className="grow" />
                    {mayWork ? (
                      <Menu
                        label={`Move ${issue.identifier}`}
                        className="button quiet small icon-only"
                        button={<Icon name="ellipsis" />}
                        align="end"
                        items={goals.map((to) => ({
                          label: displayOf("issue", to).word,
                          icon: displayOf("issue", to).icon,
                          run: () => move(issue, to),
                        }))}
                      />
                    ) : null}
                  </div>
                  <Link href={here(`/issues/${issue.identifier}`)} className="issues-card-title">
                    {issue.title}
                  </Link>
                  {assigneeOf(issue) === null ? null : (
                    <span className="row muted">
                      <Avatar {...nameOf(assigneeOf(issue))} />
                      <span className="cut">{nameOf(assigneeOf(issue)).name}</span>
                    </span>
                  )}
                </article>
              );
            })}
          </section>
        );
      })}
    </div>
  );
};
