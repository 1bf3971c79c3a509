import { Fragment } from "react";
import { type RowOf, usePages, useRead } from "../../live/calls.ts";
import { Actor } from "../../parts/avatar.tsx";
import { Button } from "../../parts/button.tsx";
import { Problem } from "../../parts/field.tsx";
import { Markdown } from "../../parts/markdown.tsx";
import { Skeleton } from "../../parts/skeleton.tsx";
import { Time } from "../../parts/time.tsx";
import { useHere } from "../../shell/company.tsx";
import { useNames } from "../../shell/names.ts";
import { Card } from "./card.tsx";
import { CommentHistory } from "./comment-history.tsx";
import type { Issue } from "./issue-screen.tsx";

type Comment = RowOf<"issues.comments">;

/** What was said and asked, oldest first; a long thread begins with its end. */
export const Thread = ({ issue }: { readonly issue: Issue }) => {
  const comments = usePages("issues.comments", { issueId: issue.id, order: "desc" });
  const cards = useRead("interactions.list", { issueId: issue.id });
  const earliest = comments.hasNextPage ? (comments.rows.at(-1)?.createdAt ?? "") : "";
  // A card that waits is shown, however old it is.
  const shownCards = (cards.data?.items ?? []).filter(
    ({ status, createdAt }) => status === "pending" || createdAt >= earliest,
  );
  const shown = [
    ...comments.rows.map((comment) => ({
      id: comment.id,
      at: comment.createdAt,
      element: <ThreadComment comment={comment} />,
    })),
    ...shownCards.map((card) => ({ id: card.id, at: card.createdAt, element: <Card card={card} /> })),
  ].sort((one, other) => (one.at < other.at ? -1 : one.at > other.at ? 1 : 0));
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
      {cards.isError ? <Problem error={cards.error} /> : null}
      {comments.isSuccess && !cards.isPending && shown.length === 0 ? (
        <p className="faint">Nobody has said anything yet.</p>
      ) : null}
      {shown.map(({ id, element }) => (
        <Fragment key={id}>{element}</Fragment>
      ))}
    </section>
  );
};

const ThreadComment = ({ comment }: { readonly comment: Comment }) => {
  const nameOf = useNames();
  const here = useHere();
  const author = nameOf(comment.authorAgentId ?? comment.authorUserId);
  const issuePath = (named: string) => here(`/issues/${named}`);
  return (
    <article className="issue-comment" aria-label={`Comment by ${author.name}`}>
      <header className="row-wrap">
        <Actor kind={author.kind} name={author.name} />
        <span className="faint">
          <Time at={comment.createdAt} />
          {comment.deletedAt ? " · deleted" : ""}
        </span>
        {comment.editedAt !== null && comment.deletedAt === null ? (
          <CommentHistory comment={comment} issuePath={issuePath} />
        ) : null}
      </header>
      <Markdown text={comment.body} issuePath={issuePath} />
    </article>
  );
};
