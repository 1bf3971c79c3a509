import { type KeyboardEvent, type RefObject, useRef } from "react";
import { Link, useSearchParams } from "wouter";
import { Button } from "../../widgets/button.tsx";
import { Icon } from "../../widgets/icon.tsx";
import { Time } from "../../widgets/time.tsx";
import { rowProps, useVirtualRows } from "../../widgets/virtual-rows.ts";
import type { Entry } from "./entry.ts";
import { displays, titleOf } from "./entry-display.ts";
import type { Row } from "./groups.ts";
import { SameFailures } from "./same-failures.tsx";

interface InboxListProps {
  readonly rows: readonly Row[];
  readonly chosen: Entry | null;
  readonly list: RefObject<HTMLOListElement | null>;
  readonly onChoose: (entry: Entry) => void;
  readonly onMove: (by: number) => void;
  readonly onExpand: (group: string) => void;
}

/** One of the rows takes the focus by Tab, the others by arrows, j and k: what has it is what is shown next to the list. */
export const InboxList = ({ rows, chosen, list, onChoose, onMove, onExpand }: InboxListProps) => {
  const shown = useVirtualRows(list, rows, ({ key }) => key, 44);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
    event.preventDefault();
    onMove(event.key === "ArrowDown" ? 1 : -1);
  };
  return (
    <ol ref={list} className="inbox" aria-label="Inbox entries" onKeyDown={onKeyDown}>
      {shown.shown.map(({ row, index, gap }) => {
        const props = rowProps(shown, { index, gap }, rows.length);
        return row.type === "head" ? (
          <li key={row.key} {...props} className="inbox-group">
            <h2>{row.label}</h2>
            <span className="faint">{row.count}</span>
          </li>
        ) : row.type === "same" ? (
          <li key={row.key} {...props} className="inbox-same">
            <SameFailures entries={row.entries} />
          </li>
        ) : row.type === "more" ? (
          <li key={row.key} {...props} className="inbox-rest">
            <Button small kind="quiet" onClick={() => onExpand(row.group)}>
              Show {row.count} more
            </Button>
          </li>
        ) : (
          <li
            key={row.key}
            {...props}
            data-id={row.key}
            className={`inbox-entry ${displays[row.entry.kind].tone ?? ""}`}
          >
            <EntryRow entry={row.entry} isChosen={row.key === chosen?.id} onChoose={onChoose} />
          </li>
        );
      })}
    </ol>
  );
};

interface EntryRowProps {
  readonly entry: Entry;
  readonly isChosen: boolean;
  readonly onChoose: (entry: Entry) => void;
}

const EntryRow = ({ entry, isChosen, onChoose }: EntryRowProps) => {
  const [params] = useSearchParams();
  const byPointer = useRef(false);
  const to = new URLSearchParams(params);
  to.set("entry", entry.id);
  const { id, kind, reason, companyName, issue, agent } = entry;
  return (
    <>
      <Icon name={displays[kind].icon} />
      <div className="inbox-words">
        <Link
          href={`/inbox?${to}`}
          className="inbox-title cut"
          aria-current={isChosen ? "true" : undefined}
          aria-describedby={`why-${id}`}
          tabIndex={isChosen ? 0 : -1}
          onPointerDown={() => {
            byPointer.current = true;
          }}
          onFocus={() => {
            // A press opens by its click.
            if (!byPointer.current) onChoose(entry);
            byPointer.current = false;
          }}
        >
          {titleOf(entry)}
        </Link>
        <p id={`why-${id}`} className="inbox-reason cut muted">
          {[reason.replace(/\.$/, ""), issue?.identifier, agent?.name, companyName ?? "This instance"]
            .filter(Boolean)
            .join(" · ")}
        </p>
      </div>
      <span className="inbox-time muted">
        <Time at={entry.waitingSince} />
      </span>
    </>
  );
};
