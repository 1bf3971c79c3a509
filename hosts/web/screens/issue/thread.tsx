import { useEffect, useRef, useState } from "react";
import { Link } from "wouter";
import { type RowOf, usePages, useRead, useWrite } from "../../live/calls.ts";
import type { Interaction, Issue } from "../../live/records.ts";
import { useSession } from "../../live/session.ts";
import { Actor } from "../../parts/avatar.tsx";
import { Button } from "../../parts/button.tsx";
import { ConfirmDialog } from "../../parts/dialog.tsx";
import { Form, Problem, TextArea } from "../../parts/field.tsx";
import { Icon } from "../../parts/icon.tsx";
import { interactionTitle, ShownInteraction } from "../../parts/interactions/shown-interaction.tsx";
import { useKeys } from "../../parts/keys.tsx";
import { Markdown } from "../../parts/markdown.tsx";
import { Menu } from "../../parts/menu.tsx";
import { useNames } from "../../parts/names.ts";
import { Skeleton } from "../../parts/skeleton.tsx";
import { Time } from "../../parts/time.tsx";
import { rowProps, useVirtualRows } from "../../parts/virtual-rows.ts";
import { useHere } from "../../shell/company.tsx";
import { CommentHistory } from "./comment-history.tsx";
import { useIssueMay } from "./issue-shown.ts";

type Comment = RowOf<"issues.comments">;

/** Comments and interactions, oldest first; a long thread begins with its end. */
export const Thread = ({ issue }: { readonly issue: Issue }) => {
  const comments = usePages("issues.comments", { issueId: issue.id, order: "desc" });
  const interactions = useRead("interactions.list", { issueId: issue.id });
  const earliest = comments.hasNextPage ? (comments.rows.at(-1)?.createdAt ?? "") : "";
  // An interaction that waits is shown, however old it is.
  const shownInteractions = (interactions.data?.items ?? []).filter(
    ({ status, createdAt }) => status === "pending" || createdAt >= earliest,
  );
  const shown = [
    ...comments.rows.map((comment) => ({
      id: comment.id,
      at: comment.createdAt,
      element: <ThreadComment comment={comment} />,
    })),
    ...shownInteractions.map((interaction) => ({
      id: interaction.id,
      at: interaction.createdAt,
      element: <ShownInteraction interaction={interaction} />,
    })),
  ].sort((one, other) => (one.at < other.at ? -1 : one.at > other.at ? 1 : 0));
  const list = useRef<HTMLOListElement>(null);
  const rows = useVirtualRows(list, shown, ({ id }) => id, 120);
  const goTo = (id: string | undefined) => {
    const index = shown.findIndex((each) => each.id === id);
    if (index < 0) return;
    rows.scrollTo(index);
    // The row may not be there before it is scrolled to.
    requestAnimationFrame(() => {
      const article = list.current?.querySelector<HTMLElement>(`[data-index="${index}"] > article`);
      article?.scrollIntoView({ block: "start" });
      article?.focus({ preventScroll: true });
    });
  };
  const waiting = shownInteractions.filter(({ status }) => status === "pending");
  const isThere = comments.isSuccess && interactions.isSuccess;
  useGoToNamed(isThere, goTo);
  useKeys([{ keys: "n", does: "Go to the newest in the thread", run: () => goTo(shown.at(-1)?.id) }]);
  return (
    <section aria-labelledby="issue-thread" className="issue-thread">
      <h3 id="issue-thread">Thread</h3>
      {waiting.length === 0 ? null : <WaitingInteractions issue={issue} interactions={waiting} goTo={goTo} />}
      {comments.hasNextPage ? (
        <Button busy={comments.isFetchingNextPage} onClick={comments.more ?? undefined}>
          Show earlier comments
        </Button>
      ) : null}
      {comments.isPending ? <Skeleton rows={3} /> : null}
      {comments.isError ? <Problem error={comments.error} /> : null}
      {interactions.isError ? <Problem error={interactions.error} /> : null}
      {comments.isSuccess && !interactions.isPending && shown.length === 0 ? (
        <p className="faint">Nobody has said anything yet.</p>
      ) : null}
      <ol ref={list} className="issue-said" aria-labelledby="issue-thread">
        {rows.shown.map(({ row: { id, element }, ...place }) => (
          <li key={id} {...rowProps(rows, place, shown.length)}>
            {element}
          </li>
        ))}
      </ol>
    </section>
  );
};

/** Goes once to what the address names after `#`: a card, or a comment that has come. */
const useGoToNamed = (isThere: boolean, goTo: (id: string) => void) => {
  const hasGone = useRef(false);
  useEffect(() => {
    if (!isThere || hasGone.current) return;
    hasGone.current = true;
    goTo(location.hash.slice(1));
  });
};

interface WaitingInteractionsProps {
  readonly issue: Issue;
  readonly interactions: readonly Interaction[];
  readonly goTo: (id: string) => void;
}

/** Above the thread while cards in it wait. */
const WaitingInteractions = ({ issue, interactions, goTo }: WaitingInteractionsProps) => {
  const here = useHere();
  return (
    <nav className="issue-waiting row-wrap" aria-label="Cards that wait">
      <Icon name="circle-question-mark" />
      <span>{interactions.length === 1 ? "1 card waits" : `${interactions.length} cards wait`}:</span>
      {interactions.map((card) => (
        <Link
          key={card.id}
          href={here(`/issues/${issue.identifier}#${card.id}`)}
          replace
          className="in-text cut"
          onClick={() => goTo(card.id)}
        >
          {interactionTitle(card)}
        </Link>
      ))}
    </nav>
  );
};

const ThreadComment = ({ comment }: { readonly comment: Comment }) => {
  const nameOf = useNames();
  const here = useHere();
  const { userId } = useSession();
  const mayChangeAll = useIssueMay("changeComments").allowed;
  const [opened, setOpened] = useState<"edit" | "delete" | null>(null);
  const author = { ...nameOf(comment.authorAgentId ?? comment.authorUserId), name: comment.authorName };
  const issuePath = (named: string) => here(`/issues/${named}`);
  const mayChange = comment.deletedAt === null && (mayChangeAll || comment.authorUserId === userId);
  return (
    <article className="issue-comment" tabIndex={-1} aria-label={`Comment by ${author.name}`}>
      <header className="row-wrap">
        <Actor kind={author.kind} name={author.name} />
        <span className="faint">
          <Time at={comment.createdAt} />
          {comment.deletedAt ? " · deleted" : ""}
        </span>
        {comment.editedAt !== null && comment.deletedAt === null ? (
          <CommentHistory comment={comment} issuePath={issuePath} />
        ) : null}
        {mayChange ? (
          <>
            <span className="grow" />
            <Menu
              button={<Icon name="ellipsis" />}
              label={`Change the comment by ${author.name}`}
              align="end"
              items={[
                { label: "Edit", icon: "pencil", run: () => setOpened("edit") },
                { label: "Delete", icon: "trash", kind: "danger", run: () => setOpened("delete") },
              ]}
            />
          </>
        ) : null}
      </header>
      {opened === "edit" ? (
        <EditComment comment={comment} onClose={() => setOpened(null)} />
      ) : (
        <Markdown text={comment.body} issuePath={issuePath} />
      )}
      {opened === "delete" ? <DeleteComment comment={comment} onClose={() => setOpened(null)} /> : null}
    </article>
  );
};

interface CommentProps {
  readonly comment: Comment;
  readonly onClose: () => void;
}

const EditComment = ({ comment, onClose }: CommentProps) => {
  const [body, setBody] = useState(comment.body);
  const save = useWrite("issues.updateComment", { onDone: onClose });
  return (
    <Form
      label="Edit the comment"
      error={save.error}
      onSubmit={() => save.run({ issueId: comment.issueId, commentId: comment.id, body })}
    >
      <TextArea label="Comment" bare name="body" required rows={4} value={body} onChange={setBody} />
      <div className="form-actions">
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" kind="main" busy={save.busy} disabled={body.trim() === ""}>
          Save
        </Button>
      </div>
    </Form>
  );
};

const DeleteComment = ({ comment, onClose }: CommentProps) => {
  const remove = useWrite("issues.deleteComment", { onDone: onClose });
  return (
    <ConfirmDialog
      title="Delete this comment?"
      verb="Delete"
      busy={remove.busy}
      onConfirm={() => remove.run({ issueId: comment.issueId, commentId: comment.id })}
      onClose={onClose}
    >
      <div className="stack">
        <p>Its text is lost, also from its history, the search and the activity log.</p>
        {remove.error === null ? null : <Problem error={remove.error} />}
      </div>
    </ConfirmDialog>
  );
};
