import { useState } from "react";
import { Link } from "wouter";
import { issueStatuses, openStatuses } from "../../../../core/model/issues/issue-status.ts";
import { usePages } from "../../live/calls.ts";
import { Button } from "../../widgets/button.tsx";
import { Section } from "../../widgets/section.tsx";
import { useCompany, useHere } from "../companies/company.tsx";
import { Status } from "../status.tsx";
import { NewIssue } from "./new-issue.tsx";

interface OpenIssuesProps {
  readonly mayCreate: boolean;
  /** The project or the goal, as lists and new issues name it. */
  readonly of: { readonly projectId: string } | { readonly goalId: string };
}

/** The open issues of a project or a goal, the most urgent first, and a way to write another. */
export const OpenIssues = ({ of, mayCreate }: OpenIssuesProps) => {
  const { id: companyId } = useCompany();
  const here = useHere();
  const [isMaking, setMaking] = useState(false);
  const issues = usePages("issues.list", {
    companyId,
    ...of,
    status: openStatuses,
    slim: true,
    limit: 20,
  });
  const [filter] = Object.entries(of).map(([name, id]) => `${name.replace("Id", "")}=${id}`);
  const all = `${filter}&status=${issueStatuses.join(",")}`;
  return (
    <Section
      title="Open issues"
      action={
        mayCreate ? (
          <Button small icon="plus" onClick={() => setMaking(true)}>
            New issue
          </Button>
        ) : undefined
      }
    >
      {issues.isSuccess && issues.rows.length === 0 ? <p className="faint">No open issues</p> : null}
      <ul className="plain-list">
        {issues.rows.map(({ id, identifier, title, status }) => (
          <li key={id} className="row list-row">
            <Status of="issue" status={status} bare />
            <Link href={here(`/issues/${identifier}`)} className="cut">
              {identifier} {title}
            </Link>
          </li>
        ))}
      </ul>
      <Link href={here(`/issues?${all}`)}>View all issues</Link>
      {isMaking ? (
        <NewIssue begun={of} onMade={() => setMaking(false)} onClose={() => setMaking(false)} />
      ) : null}
    </Section>
  );
};
