import { useVirtualizer } from "@tanstack/react-virtual";
import { memo, useCallback, useEffect, useRef, useState } from "react";
import { Link, useLocation } from "wouter";
import type { RowOf } from "../../live/calls.ts";
import { Avatar } from "../../parts/avatar.tsx";
import { useKeys } from "../../parts/keys.tsx";
import { PriorityMark, Status } from "../../parts/status.tsx";
import { Time } from "../../parts/time.tsx";
import { assigneeOf } from "../../shell/assignees.ts";
import { useHere } from "../../shell/company.tsx";
import { type Named, useNames } from "../../shell/names.ts";

type Issue = RowOf<"issues.list">;

interface IssueListProps {
  readonly issues: readonly Issue[];
  /** Reads the next page; null if this is the last one or the next is loading. */
  readonly more: (() => void) | null;
  /** The ids of those that are chosen to be changed together; null: this person may change none. */
  readonly chosen: ReadonlySet<string> | null;
  readonly onChoose: (chosen: ReadonlySet<string>) => void;
}

const rowHeight = 36;
/** Rows left below when the next page is read. */
const ahead = 60;

/** A list of any length: only the rows that can be seen are there. */
export const IssueList = ({ issues, more, chosen, onChoose }: IssueListProps) => {
  const scroller = useRef<HTMLDivElement>(null);
  const here = useHere();
  const nameOf = useNames();
  const [, go] = useLocation();
  const [at, setAt] = useState(-1);
  const focused = useCallback((index: number) => setAt(index), []);
  const virtual = useVirtualizer({
    count: issues.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    // The list is measured anew where this function is another one.
    getItemKey: useCallback((index: number) => issues[index]!.id, [issues]),
    overscan: 12,
  });
  const rows = virtual.getVirtualItems();
  const last = rows.at(-1)?.index ?? 0;
  useEffect(() => {
    if (more !== null && last >= issues.length - ahead) more();
  }, [last, issues.length, more]);
  const move = (to: number) => {
    const next = Math.max(0, Math.min(issues.length - 1, to));
    setAt(next);
    virtual.scrollToIndex(next);
    // The row may not be there before it is scrolled to.
    requestAnimationFrame(() =>
      scroller.current
        ?.querySelector<HTMLElement>(`[data-index="${next}"] a`)
        ?.focus({ preventScroll: true }),
    );
  };
  /** Where the last choice was made: Shift chooses all from there. */
  const from = useRef(0);
  const choose = (index: number, isRange: boolean) => {
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
  const pathOf = (issue: Issue) => here(`/issues/${issue.identifier}`);
  useKeys([
    { keys: "j", does: "Next issue", run: () => move(at + 1) },
    { keys: "k", does: "Previous issue", run: () => move(at - 1) },
    ...(chosen === null
      ? []
      : [
          { keys: "x", does: "Choose the issue, to change several at once", run: () => choose(at, false) },
          { keys: "X", does: "Choose all up to this issue", run: () => choose(at, true) },
          ...(chosen.size === 0
            ? []
            : [{ keys: "Escape", does: "Choose none", run: () => onChoose(new Set()) }]),
        ]),
    {
      keys: "Enter",
      does: "Open the issue",
      run: () => {
        const issue = issues[at];
        if (issue !== undefined) go(pathOf(issue));
      },
    },
  ]);
  return (
    <div ref={scroller} className="issues-scroll">
      {/* biome-ignore lint/a11y/useSemanticElements: a virtual list is laid out by hand */}
      <div role="list" aria-label="Issues" className="issues-list" style={{ height: virtual.getTotalSize() }}>
        {rows.map(({ index, key, start }) => {
          const issue = issues[index]!;
          const assigneeId = assigneeOf(issue);
          const assignee = assigneeId === null ? null : nameOf(assigneeId);
          return (
            // biome-ignore lint/a11y/useSemanticElements: as above
            <div
              key={key}
              role="listitem"
              data-index={index}
              aria-setsize={issues.length}
              aria-posinset={index + 1}
              className={`issues-row${index === at ? " at" : ""}${chosen?.has(issue.id) ? " chosen" : ""}`}
              style={{ transform: `translateY(${start}px)` }}
            >
              {chosen === null ? null : (
                <input
                  type="checkbox"
                  className="issues-choose"
                  aria-label={`Choose ${issue.identifier}`}
                  checked={chosen.has(issue.id)}
                  onChange={(event) =>
                    choose(index, event.nativeEvent instanceof MouseEvent && event.nativeEvent.shiftKey)
                  }
                />
              )}
              <IssueCells
                issue={issue}
                path={pathOf(issue)}
                assignee={assignee?.name ?? null}
                assigneeStatus={assignee?.status}
                onFocus={focused}
                index={index}
              />
            </div>
          );
        })}
      </div>
    </div>
  );
};

interface IssueCellsProps {
  readonly issue: Issue;
  readonly index: number;
  readonly path: string;
  readonly assignee: string | null;
  readonly assigneeStatus: Named["status"];
  readonly onFocus: (index: number) => void;
}

/** What a row shows; rendered again only where that changes, so that a list scrolls smoothly. */
const IssueCells = memo(({ issue, index, path, assignee, assigneeStatus, onFocus }: IssueCellsProps) => (
  <>
    <PriorityMark priority={issue.priority} bare />
    <span className="mono faint issues-identifier">{issue.identifier}</span>
    <Status of="issue" status={issue.status} bare />
    <Link href={path} className="cut issues-title" onFocus={() => onFocus(index)}>
      {issue.title}
    </Link>
    <span className="issues-labels">
      {issue.labels?.slice(0, 3).map((label) => (
        <span key={label.id} className="issues-label cut">
          {label.name}
        </span>
      ))}
    </span>
    <span className="issues-assignee">
      {assignee === null ? (
        <span className="faint">Nobody</span>
      ) : (
        <>
          <Avatar kind="agent" name={assignee} status={assigneeStatus} />
          <span className="cut">{assignee}</span>
        </>
      )}
    </span>
    <span className="issues-time muted">
      <Time at={issue.lastActivityAt} />
    </span>
  </>
));
