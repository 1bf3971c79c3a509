import { type RowOf, usePages } from "../../live/calls.ts";
import { Actor } from "../../parts/avatar.tsx";
import { Button } from "../../parts/button.tsx";
import { Problem } from "../../parts/field.tsx";
import { Markdown } from "../../parts/markdown.tsx";
import { Skeleton } from "../../parts/skeleton.tsx";
import { Time } from "../../parts/time.tsx";
import { useHere } from "../../shell/company.tsx";
import { useNames } from "../../shell/names.ts";
import type { Issue } from "./issue-screen.tsx";

type Comment = RowOf<"issues.comments">;

/** What was said, oldest first; a long thread begins with its end. */
export const Thread = ({ issue }: { readonly issue: Issue }) => {
  const comments = usePages("issues.comments", { issueId: issue.id, order: "desc" });
  const shown = [...comments.rows].reverse();
  return (
    <section aria-labelledby="issue-thread" className="issue-thread">
      <h3 id="issue-thread">Thread</h3>
      {comments.hasNextPage ? (
        <Button busy={comments.isFetchingNextPage} onClick={comments.more ?? undefined}>
          Show earlier comments
        </Button>
      ) : null}
      {comments.isPending ? <Skeleton rows={3} /> : null}
      {comments.isError ? <Problem error={comments.error} /> : null}
      {comments.isSuccess && shown.length === 0 ? (
        <p className="faint">Nobody has said anything yet.</p>
      ) : null}
      {shown.map((comment) => (
        <ThreadComment key={comment.id} comment={comment} />
      ))}
    </section>
  );
};

const ThreadComment = ({ comment }: { readonly comment: Comment }) => {
  const nameOf = useNames();
  const here = useHere();
  const author = nameOf(comment.authorAgentId ?? comment.authorUserId);
  return (
    <article className="issue-comment" aria-label={`Comment by ${author.name}`}>
      <header className="row">
        <Actor kind={author.kind} name={author.name} />
        <span className="faint">
          <Time at={comment.createdAt} />
        </span>
      </header>
      <Markdown text={comment.body} issuePath={(named) => here(`/issues/${named}`)} />
    </article>
  );
};
