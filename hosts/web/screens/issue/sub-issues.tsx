import { useState } from "react";
import { Link } from "wouter";
import { isClosed } from "../../../../core/model/issues/issue-status.ts";
import { useRead } from "../../live/calls.ts";
import type { Issue } from "../../live/records.ts";
import { Avatar } from "../../nouns/avatar.tsx";
import { useHere } from "../../nouns/companies/company.tsx";
import { assigneeOf } from "../../nouns/issues/assignees.ts";
import { subIssuesOf } from "../../nouns/issues/issue-reads.ts";
import { NewIssue } from "../../nouns/issues/new-issue.tsx";
import { useNames } from "../../nouns/names.ts";
import { issueStatusShown, Status } from "../../nouns/status.tsx";
import { Button, LinkButton } from "../../widgets/button.tsx";
import { useAdding } from "./add-menu.tsx";
import { belongingOf } from "./issue-belonging.ts";
import { useIssueMay } from "./issue-shown.ts";

/** The parts of an issue, and how many of them are done. */
export const SubIssues = ({ issue }: { readonly issue: Issue }) => {
  const here = useHere();
  const nameOf = useNames();
  const mayAdd = useIssueMay("update").allowed;
  const [isMaking, setMaking] = useState(false);
  useAdding("sub-issue", () => setMaking(true));
  const { data } = useRead("issues.list", subIssuesOf(issue));
  const parts = data?.items ?? [];
  const counted = parts.filter(({ status }) => status !== "cancelled");
  const closed = counted.filter(({ status }) => isClosed(status)).length;
  return (
    <>
      {parts.length === 0 ? null : (
        <section aria-labelledby="issue-parts" className="issue-section">
          <header className="row-wrap">
            <h3 id="issue-parts">Sub-issues</h3>
            <span className="progress grow">
              <progress aria-label="Progress of the sub-issues" max={counted.length || 1} value={closed} />
              <span className="muted">
                {closed} of {counted.length} done
              </span>
            </span>
            <LinkButton small kind="quiet" icon="list" to={here(`/issues?parent=${issue.id}&closed=1`)}>
              Show as a list
            </LinkButton>
            {mayAdd ? (
              <Button small kind="quiet" icon="plus" onClick={() => setMaking(true)}>
                Add sub-issue
              </Button>
            ) : null}
          </header>
          <ul className="plain-list">
            {parts.map((part) => {
              const assignee = assigneeOf(part);
              return (
                <li key={part.id} className="row list-row">
                  <Status of="issue" status={issueStatusShown(part)} bare />
                  <span className="mono faint">{part.identifier}</span>
                  <Link href={here(`/issues/${part.identifier}`)} className="quiet-link grow cut">
                    {part.title}
                  </Link>
                  {assignee === null ? null : <Avatar {...nameOf(assignee)} />}
                </li>
              );
            })}
          </ul>
        </section>
      )}
      {isMaking ? (
        <NewIssue
          title={`Sub-issue of ${issue.identifier}`}
          begun={{ parentId: issue.id, ...belongingOf(issue) }}
          onMade={() => {}}
          onClose={() => setMaking(false)}
        />
      ) : null}
    </>
  );
};
