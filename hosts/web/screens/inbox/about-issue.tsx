import { Link } from "wouter";
import { usePages, useRead } from "../../live/calls.ts";
import { Actor } from "../../nouns/avatar.tsx";
import { useIssuePath } from "../../nouns/companies/company.tsx";
import { assigneeOf } from "../../nouns/issues/assignees.ts";
import { Markdown } from "../../nouns/markdown.tsx";
import { useNames } from "../../nouns/names.ts";
import { PriorityMark, Status } from "../../nouns/status.tsx";
import { Problem } from "../../widgets/field.tsx";
import { Skeleton } from "../../widgets/skeleton.tsx";
import { Time } from "../../widgets/time.tsx";

/** The issue that a decision is about: its facts, its description, and what was said last. */
export const AboutIssue = ({ issueId }: { readonly issueId: string }) => {
  const issuePath = useIssuePath();
  const nameOf = useNames();
  const issue = useRead("issues.get", { issueId });
  const comments = usePages("issues.comments", { issueId, order: "desc", limit: 3 });
  if (issue.isPending || comments.isPending) return <Skeleton />;
  if (issue.isError) return <Problem error={issue.error} />;
  const { identifier, title, status, priority, description } = issue.data;
  const assigneeId = assigneeOf(issue.data);
  return (
    <section className="inbox-issue" aria-label={`About ${identifier}`}>
      <h3>
        <Link href={issuePath(identifier)}>
          {identifier} {title}
        </Link>
      </h3>
      <div className="row-wrap">
        <Status of="issue" status={status} />
        <PriorityMark priority={priority} />
        {assigneeId === null ? <span className="faint">Unassigned</span> : <Actor {...nameOf(assigneeId)} />}
      </div>
      {description === null || description.trim() === "" ? null : (
        <Markdown text={description} issuePath={issuePath} />
      )}
      {comments.rows.length === 0 ? null : <h3>Latest comments</h3>}
      {comments.rows.map((comment) => (
        <div key={comment.id}>
          <div className="row-wrap">
            <Actor
              kind={nameOf(comment.authorAgentId ?? comment.authorUserId).kind}
              name={comment.authorName}
            />
            <span className="faint">
              <Time at={comment.createdAt} />
            </span>
          </div>
          <Markdown text={comment.body} issuePath={issuePath} />
        </div>
      ))}
    </section>
  );
};
