import { useMemo, useRef, useState } from "react";
import { Link } from "wouter";
import { verbOf } from "../../../../core/model/activity/activity-verbs.ts";
import { pagePaths } from "../../../../core/model/activity/page-paths.ts";
import type { RowOf } from "../../live/calls.ts";
import { Button } from "../../widgets/button.tsx";
import { locale } from "../../widgets/locale.ts";
import { DayName, Time } from "../../widgets/time.tsx";
import { rowProps, useVirtualRows } from "../../widgets/virtual-rows.ts";
import { Actor } from "../avatar.tsx";
import { useHere } from "../companies/company.tsx";
import { useNames } from "../names.ts";
import { assigneeIdOf, detailsOf } from "./activity-details.ts";
import { type ActivityRow, rowsByDay, singleRows } from "./activity-rows.ts";
import { useThingNames } from "./thing-names.ts";

type Entry = RowOf<"activity.list">;

interface ActivityListProps {
  readonly label: string;
  readonly entries: readonly Entry[];
  /** All entries are about one issue, which is not named again. */
  readonly isOfIssue?: boolean;
}

/**
 * Each entry as a sentence, from its actor to what has changed, with its run and time. Entries about many things stand by days, and
 * consecutive ones of one actor on one thing in one row, which opens.
 */
export const ActivityList = ({ label, entries, isOfIssue = false }: ActivityListProps) => {
  const list = useRef<HTMLOListElement>(null);
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set());
  const all = useMemo(
    () => (isOfIssue ? singleRows(entries) : rowsByDay(entries, opened)),
    [entries, isOfIssue, opened],
  );
  const rows = useVirtualRows(list, all, ({ key }) => key);
  const nameOfThing = useThingNames(entries);
  const toggle = ({ entry, earlier, isOpen }: ActivityRow) => {
    const next = new Set(opened);
    if (isOpen) for (const { id } of [entry, ...earlier]) next.delete(id);
    else next.add(entry.id);
    setOpened(next);
  };
  return (
    <ol ref={list} className={isOfIssue ? "activity of-issue" : "activity"} aria-label={label}>
      {rows.shown.map((shown) => (
        <li key={shown.row.key} {...rowProps(rows, shown, all.length)}>
          {shown.row.beginsDay ? (
            <h2 className="activity-day">
              <DayName at={shown.row.entry.createdAt} />
            </h2>
          ) : null}
          <EntryRow
            row={shown.row}
            isOfIssue={isOfIssue}
            nameOfThing={nameOfThing}
            onToggle={() => toggle(shown.row)}
          />
        </li>
      ))}
    </ol>
  );
};

interface EntryRowProps {
  readonly row: ActivityRow;
  readonly isOfIssue: boolean;
  readonly nameOfThing: ReturnType<typeof useThingNames>;
  readonly onToggle: () => void;
}

const EntryRow = ({ row, isOfIssue, nameOfThing, onToggle }: EntryRowProps) => {
  const here = useHere();
  const nameOf = useNames();
  const { entry, earlier, isOpen, isEarlier } = row;
  const { action, actorId, actorName, assistant, runId, createdAt } = entry;
  return (
    <div className={isEarlier ? "activity-row earlier" : "activity-row"}>
      {isEarlier ? null : <Actor {...nameOf(actorId)} {...(actorName === null ? {} : { name: actorName })} />}
      <div className="activity-what">
        <p className="activity-text">
          {assistant === null ? null : <span className="muted">{`with ${assistant} `}</span>}
          {action === "heartbeat.finished" ? null : `${verbOf(action)} `}
          <About entry={entry} isNamed={!isOfIssue} nameOfThing={nameOfThing} />
        </p>
        {earlier.length === 0 ? null : (
          <Button
            kind="quiet"
            small
            icon={isOpen ? "chevron-down" : "chevron-right"}
            aria-expanded={isOpen}
            onClick={onToggle}
          >
            {earlier.length.toLocaleString(locale)} earlier
          </Button>
        )}
      </div>
      <span className="activity-run">
        {runId === null ? null : (
          <Link href={here(`/runs/${runId}`)} className="quiet-link">
            in a run
          </Link>
        )}
      </span>
      <span className="activity-time muted">
        <Time at={createdAt} as={isOfIssue ? "ago" : "of day"} />
      </span>
    </div>
  );
};

interface AboutProps {
  readonly entry: Entry;
  readonly isNamed: boolean;
  readonly nameOfThing: ReturnType<typeof useThingNames>;
}

/** Actions of a person on themselves. */
const ofActor: ReadonlySet<string> = new Set([
  "member.signed_in",
  "member.passkey_added",
  "member.passkey_removed",
]);

const About = ({ entry, isNamed, nameOfThing }: AboutProps) => {
  const here = useHere();
  const nameOf = useNames();
  const { action, details, entityType, entityId } = entry;
  const { name, more } = detailsOf(entry, (id) => nameOf(id).name);
  const path = pagePaths[entityType];
  const isOfActor = ofActor.has(action);
  const shown = isOfActor
    ? null
    : (name ??
      (entityType === "agent" || entityType === "member"
        ? nameOf(entityId).name
        : entityType === "grant"
          ? nameOf(String(details.agentId)).name
          : entityType === "heartbeat_run"
            ? `${nameOf(String(details.agentId)).name}'s run`
            : (nameOfThing(entry) ?? (path === undefined ? null : "(open it)"))));
  const assigneeId = assigneeIdOf(entry);
  const rest =
    action === "issue.assigned" ? `to ${assigneeId === null ? "nobody" : nameOf(assigneeId).name}` : more;
  return (
    <>
      {!isNamed && !isOfActor ? (
        "this issue "
      ) : shown === null ? null : path === undefined ? (
        `${shown} `
      ) : (
        <>
          <Link href={here(`${path}/${entityId}`)} className="quiet-link sum">
            {shown}
          </Link>{" "}
        </>
      )}
      <span className="muted">{rest}</span>
    </>
  );
};
