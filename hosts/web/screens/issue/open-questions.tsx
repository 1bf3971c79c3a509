import { useEffect, useRef } from "react";
import { Link } from "wouter";
import { usePages, useRead } from "../../live/calls.ts";
import type { Interaction, Issue } from "../../live/records.ts";
import { approvalTitle } from "../../nouns/approvals/approval-labels.ts";
import { useHere } from "../../nouns/companies/company.tsx";
import { ShownInteraction } from "../../nouns/interactions/shown-interaction.tsx";
import { Status } from "../../nouns/status.tsx";

/** Interactions that wait for a person, and those that were answered since the issue was opened: they stay in their place. */
export const useOpenInteractions = (issueId: string | undefined): readonly Interaction[] => {
  const { data } = useRead(
    "interactions.list",
    { issueId: issueId ?? "" },
    { enabled: issueId !== undefined },
  );
  const opened = useRef({ issueId, ids: new Set<string>() });
  if (opened.current.issueId !== issueId) opened.current = { issueId, ids: new Set() };
  const { ids } = opened.current;
  for (const { id, status } of data?.items ?? []) if (status === "pending") ids.add(id);
  return (data?.items ?? []).filter(({ id }) => ids.has(id));
};

interface OpenQuestionsProps {
  readonly issue: Issue;
  readonly interactions: readonly Interaction[];
}

/** Requests that wait for a decision, before everything else, with their buttons. */
export const OpenQuestions = ({ issue, interactions }: OpenQuestionsProps) => {
  const here = useHere();
  const { isPending } = useRead("interactions.list", { issueId: issue.id });
  const { rows } = usePages("approvals.ofIssue", { issueId: issue.id });
  const approvals = rows.filter(({ status }) => status === "pending" || status === "resubmitted");
  const section = useRef<HTMLElement>(null);
  const ids = interactions.map(({ id }) => id);
  useEffect(() => {
    const at = ids.indexOf(location.hash.slice(1));
    if (at < 0) return;
    const article = section.current?.querySelectorAll<HTMLElement>("article")[at];
    article?.scrollIntoView({ block: "start" });
    article?.focus({ preventScroll: true });
  }, [ids.join()]);
  const open = interactions.filter(({ status }) => status === "pending").length + approvals.length;
  if (isPending || (interactions.length === 0 && approvals.length === 0)) return null;
  return (
    <section ref={section} aria-labelledby="issue-open" className="issue-open">
      <h3 id="issue-open">
        {open === 0
          ? "Answered"
          : open === 1
            ? "1 question needs your answer"
            : `${open} questions need your answer`}
      </h3>
      {interactions.map((interaction) => (
        <ShownInteraction key={interaction.id} interaction={interaction} />
      ))}
      {approvals.map((approval) => (
        <div key={approval.id} className="row">
          <Status of="other" status={approval.status} bare />
          <Link href={here(`/approvals/${approval.id}`)} className="quiet-link grow cut">
            {approvalTitle(approval)}
          </Link>
          <Link href={here(`/approvals/${approval.id}`)} className="button small">
            <span>Review</span>
            <span className="only-read"> {approvalTitle(approval)}</span>
          </Link>
        </div>
      ))}
    </section>
  );
};
