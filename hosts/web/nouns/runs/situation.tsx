import { Fragment, type ReactNode } from "react";
import { Link } from "wouter";
import type { AnswerOf } from "../../live/calls.ts";
import { Icon } from "../../widgets/icon.tsx";
import { Time } from "../../widgets/time.tsx";
import { useHere } from "../companies/company.tsx";

export type Situation = AnswerOf<"agents.explanation">["situation"];
type Reason = Situation["reasons"][number];

const paths = { issue: "/issues", run: "/runs", approval: "/approvals" } as const;

type ReasonLink = Reason["links"][number];

/** Where several things of a kind are listed: one link stands for them. */
const lists: Readonly<Record<ReasonLink["kind"], { readonly path: string; readonly label: string }>> = {
  issue: { path: "/issues?status=open", label: "View issues" },
  run: { path: "/runs?status=queued", label: "View runs" },
  approval: { path: "/approvals?status=pending", label: "View approvals" },
};

/** More things of a kind than this are opened by one link to their list. */
const mostLinks = { issue: 3, run: 1, approval: 1 } as const;

const kinds = ["issue", "run", "approval"] as const satisfies readonly ReasonLink["kind"][];

const instant = /(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)/;

/** A sentence of the service, with its times in the reader's zone. */
export const withTimes = (sentence: string): ReactNode =>
  sentence
    .split(instant)
    .map((part, at) => (at % 2 === 0 ? part : <Time key={`${at} ${part}`} at={part} as="brief" />));

/** Identifiers as a sentence names them. */
const identifier = /\b([A-Z][A-Z0-9]*-\d+)\b/;

/** One reason, and since when; the things that it is about can be opened where it names them, others after it. */
export const ReasonLine = ({
  reason: { sentence, links, since },
  withSince = false,
}: {
  readonly reason: Reason;
  readonly withSince?: boolean;
}) => {
  const here = useHere();
  const link = ({ kind, id }: ReasonLink, text: string, key: string) => (
    <Link key={key} href={here(`${paths[kind]}/${id}`)} className="in-text">
      {text}
    </Link>
  );
  const parts = sentence.split(identifier);
  const unnamed = links.filter(({ label }) => !parts.includes(label));
  return (
    <>
      {parts.map((part, at) => {
        const found = at % 2 === 0 ? undefined : links.find(({ label }) => label === part);
        return found === undefined ? (
          <Fragment key={`${at} ${part}`}>{withTimes(part)}</Fragment>
        ) : (
          link(found, part, `${at} ${part}`)
        );
      })}
      {since === null || !withSince ? null : (
        <span className="faint situation-since">
          {" "}
          Since <Time at={since} as="brief" />.
        </span>
      )}
      {kinds.map((kind) => {
        const ofKind = unnamed.filter((each) => each.kind === kind);
        return ofKind.length > mostLinks[kind] ? (
          <Fragment key={kind}>
            {" "}
            <Link href={here(lists[kind].path)} className="in-text">
              {lists[kind].label}
            </Link>
          </Fragment>
        ) : (
          ofKind.map((each) => (
            <Fragment key={each.id}>
              {" "}
              {link(each, kind === "issue" ? each.label : `Open ${each.label}`, each.id)}
            </Fragment>
          ))
        );
      })}
    </>
  );
};

/** The work of an agent or why it does none, and what wakes it next. */
export const SituationView = ({ situation }: { readonly situation: Situation }) => (
  <div className="situation">
    <ul className="plain-list">
      {situation.reasons.map((reason, at) => (
        <li key={`${reason.code} ${reason.sentence}`} className={at === 0 ? "situation-first" : "muted"}>
          <Icon name={reason.needsPerson ? "hourglass" : iconOf[situation.state]} />
          <span>
            <ReasonLine reason={reason} withSince />
          </span>
        </li>
      ))}
    </ul>
    <p>
      <span className="muted">Next run:</span> {withTimes(situation.next.sentence)}
    </p>
  </div>
);

const iconOf = {
  working: "loader-circle",
  starting: "loader-circle",
  waiting: "circle",
  held: "circle-pause",
  idle: "circle",
  draft: "hourglass",
  terminated: "ban",
} as const satisfies Readonly<Record<Situation["state"], string>>;
