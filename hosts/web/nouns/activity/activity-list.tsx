import { useRef } from "react";
import { Link } from "wouter";
import { verbOf } from "../../../../core/model/activity/activity-verbs.ts";
import { pagePaths } from "../../../../core/model/activity/page-paths.ts";
import type { RowOf } from "../../live/calls.ts";
import { Time } from "../../widgets/time.tsx";
import { rowProps, useVirtualRows } from "../../widgets/virtual-rows.ts";
import { Actor } from "../avatar.tsx";
import { useHere } from "../companies/company.tsx";
import { useNames } from "../names.ts";
import { assigneeIdOf, detailsOf } from "./activity-words.ts";
import { useThingNames } from "./thing-names.ts";

type Entry = RowOf<"activity.list">;

interface ActivityListProps {
  readonly label: string;
  readonly entries: readonly Entry[];
  /** All entries are about one issue, which is not named again. */
  readonly isOfIssue?: boolean;
}

/** Each entry as a sentence, from its actor to what has changed, with its run and time. */
export const ActivityList = ({ label, entries, isOfIssue = false }: ActivityListProps) => {
  const here = useHere();
  const nameOf = useNames();
  const list = useRef<HTMLOListElement>(null);
  const rows = useVirtualRows(list, entries, ({ id }) => id);
  const nameOfThing = useThingNames(entries);
  return (
    <ol ref={list} className={isOfIssue ? "activity of-issue" : "activity"} aria-label={label}>
      {rows.shown.map((shown) => {
        const { row: entry } = shown;
        const { id, action, actorId, actorName, assistant, runId, createdAt } = entry;
        return (
          <li key={id} {...rowProps(rows, shown, entries.length)}>
            <Actor {...nameOf(actorId)} {...(actorName === null ? {} : { name: actorName })} />
            <p className="activity-text">
              {assistant === null ? null : <span className="muted">{`with ${assistant} `}</span>}
              {verbOf(action)} <About entry={entry} isNamed={!isOfIssue} nameOfThing={nameOfThing} />
            </p>
            <span className="activity-run">
              {runId === null ? null : (
                <Link href={here(`/runs/${runId}`)} className="quiet-link">
                  in a run
                </Link>
              )}
            </span>
            <span className="activity-time muted">
              <Time at={createdAt} />
            </span>
          </li>
        );
      })}
    </ol>
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
            ? `a run of ${nameOf(String(details.agentId)).name}`
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
