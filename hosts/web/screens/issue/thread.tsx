import { useEffect, useRef, useState } from "react";
import { Link, useLocation } from "wouter";
import { type RowOf, usePages, useRead, useWrite } from "../../live/calls.ts";
import { baseUrl } from "../../live/client.ts";
import type { Interaction, Issue } from "../../live/records.ts";
import { useSession } from "../../live/session.ts";
import { Actor } from "../../nouns/avatar.tsx";
import { useIssuePath } from "../../nouns/companies/company.tsx";
import { ShownInteraction } from "../../nouns/interactions/shown-interaction.tsx";
import { threadOf } from "../../nouns/issues/issue-reads.ts";
import { Markdown, type References } from "../../nouns/markdown.tsx";
import { useNames } from "../../nouns/names.ts";
import { Button } from "../../widgets/button.tsx";
import { ConfirmDialog } from "../../widgets/dialog.tsx";
import { Form, Problem, TextArea } from "../../widgets/field.tsx";
import { Icon } from "../../widgets/icon.tsx";
import { useKeys } from "../../widgets/keys.tsx";
import { Menu } from "../../widgets/menu.tsx";
import { Skeleton } from "../../widgets/skeleton.tsx";
import { Time } from "../../widgets/time.tsx";
import { useToasts } from "../../widgets/toasts.tsx";
import { rowProps, useVirtualRows } from "../../widgets/virtual-rows.ts";
import { CommentHistory } from "./comment-history.tsx";
import { useCommentReferences } from "./comment-references.ts";
import { useIssueMay } from "./issue-shown.ts";
import { QuotedLocation } from "./quoted-location.tsx";

type Comment = RowOf<"issues.comments">;

/** The id of a comment or a card that the address names after `#`. */
const namedInAddress = (): string => location.hash.replace(/^#(comment-)?/, "");

interface ThreadProps {
  readonly issue: Issue;
  /** Interactions that are shown elsewhere. */
  readonly without: readonly Interaction[];
}

/** Comments and interactions, oldest first; a long thread begins with its end. */
export const Thread = ({ issue, without }: ThreadProps) => {
  const issuePath = useIssuePath();
  const references = useCommentReferences(issue);
  const comments = usePages("issues.comments", threadOf(issue));
  const interactions = useRead("interactions.list", { issueId: issue.id });
  const earliest = comments.hasNextPage ? (comments.rows.at(-1)?.createdAt ?? "") : "";
  const isElsewhere = (id: string) => without.some((each) => each.id === id);
  const shownInteractions = (interactions.data?.items ?? []).filter(
    ({ id, createdAt }) => !isElsewhere(id) && createdAt >= earliest,
  );
  const shown = [
    ...comments.rows.map((comment) => ({
      id: comment.id,
      at: comment.createdAt,
      element: (
        <ThreadComment
          comment={comment}
          link={`${issuePath(issue.identifier)}#comment-${comment.id}`}
          references={references}
          goTo={() => goTo(comment.id)}
        />
      ),
    })),
    ...shownInteractions.map((interaction) => ({
      id: interaction.id,
      at: interaction.createdAt,
      element: <ShownInteraction interaction={interaction} />,
    })),
  ].sort((one, other) => (one.at < other.at ? -1 : one.at > other.at ? 1 : 0));
  const list = useRef<HTMLOListElement>(null);
  const rows = useVirtualRows(list, shown, ({ id }) => id, 120);
  const [marked, setMarked] = useState<string | null>(null);
  const goTo = (id: string | undefined) => {
    const index = shown.findIndex((each) => each.id === id);
    if (index < 0) return;
    setMarked(shown[index]!.id);
    rows.scrollTo(index);
    focusRow(list.current!, index);
  };
  const isThere = comments.isSuccess && interactions.isSuccess;
  useGoToNamed(isThere, {
    has: (id) => shown.some((each) => each.id === id),
    goTo,
    more: comments.more,
    isComplete: !comments.hasNextPage || isElsewhere(namedInAddress()),
  });
  useKeys([{ keys: "n", does: "Jump to latest", run: () => goTo(shown.at(-1)?.id) }]);
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
      {interactions.isError ? <Problem error={interactions.error} /> : null}
      {comments.isSuccess && !interactions.isPending && shown.length === 0 ? (
        <p className="faint">No comments yet</p>
      ) : null}
      <ol ref={list} className="issue-timeline" aria-labelledby="issue-thread">
        {rows.shown.map(({ row: { id, element }, ...place }) => (
          <li
            key={id}
            aria-current={id === marked ? "location" : undefined}
            {...rowProps(rows, place, shown.length)}
          >
            {element}
          </li>
        ))}
      </ol>
    </section>
  );
};

/** Of a long list the row comes some frames after it is scrolled to. */
const focusRow = (list: HTMLElement, index: number, frames = 60): void => {
  requestAnimationFrame(() => {
    const article = list.querySelector<HTMLElement>(`[data-index="${index}"] > article`);
    if (article === null) {
      if (frames > 0) focusRow(list, index, frames - 1);
      return;
    }
    article.scrollIntoView({ block: "start" });
    article.focus({ preventScroll: true });
  });
};

interface NamedRows {
  readonly has: (id: string) => boolean;
  readonly goTo: (id: string) => void;
  /** Reads earlier comments; null while it does. */
  readonly more: (() => void) | null;
  readonly isComplete: boolean;
}

/** Goes once to what the address names after `#`, however early it was written, and again when another is named. */
const useGoToNamed = (isThere: boolean, { has, goTo, more, isComplete }: NamedRows) => {
  const [wanted, setWanted] = useState(namedInAddress);
  useEffect(() => {
    const want = () => setWanted(namedInAddress());
    addEventListener("hashchange", want);
    return () => removeEventListener("hashchange", want);
  }, []);
  useEffect(() => {
    if (!isThere || wanted === "") return;
    if (has(wanted)) goTo(wanted);
    else if (!isComplete) {
      more?.();
      return;
    }
    setWanted("");
  });
};

interface ThreadCommentProps {
  readonly comment: Comment;
  /** Its own address. */
  readonly link: string;
  readonly references: References;
  readonly goTo: () => void;
}

const ThreadComment = ({ comment, link, references, goTo }: ThreadCommentProps) => {
  const nameOf = useNames();
  const { userId } = useSession();
  const mayChangeAll = useIssueMay("changeComments").allowed;
  const mayComment = useIssueMay("comment").allowed;
  const [opened, setOpened] = useState<"edit" | "delete" | null>(null);
  const author = { ...nameOf(comment.authorAgentId ?? comment.authorUserId), name: comment.authorName };
  const mayChange =
    comment.deletedAt === null && (mayChangeAll || (mayComment && comment.authorUserId === userId));
  const copyLink = useCopyLink(link, goTo);
  return (
    <article className="issue-comment" tabIndex={-1} aria-label={`Comment by ${author.name}`}>
      <header className="row-wrap">
        <Actor kind={author.kind} name={author.name} />
        <span className="faint">
          <Link href={link} replace className="quiet-link" onClick={goTo}>
            <span className="only-read">Link to this comment: </span>
            <Time at={comment.createdAt} />
          </Link>
          {comment.deletedAt ? " · deleted" : ""}
        </span>
        {comment.editedAt !== null && comment.deletedAt === null ? (
          <CommentHistory comment={comment} references={references} />
        ) : null}
        <span className="grow" />
        <Menu
          button={<Icon name="ellipsis" />}
          label={`Actions on the comment by ${author.name}`}
          align="end"
          items={[
            { label: "Copy link", icon: "link", run: copyLink },
            ...(mayChange
              ? ([
                  { label: "Edit", icon: "pencil", run: () => setOpened("edit") },
                  { label: "Delete", icon: "trash", kind: "danger", run: () => setOpened("delete") },
                ] as const)
              : []),
          ]}
        />
      </header>
      {comment.location === null ? null : <QuotedLocation location={comment.location} />}
      {opened === "edit" ? (
        <EditComment comment={comment} onClose={() => setOpened(null)} />
      ) : (
        <Markdown text={comment.body} {...references} />
      )}
      {opened === "delete" ? <DeleteComment comment={comment} onClose={() => setOpened(null)} /> : null}
    </article>
  );
};

/** Copies the address of a comment; where the browser refuses, the address bar has it. */
const useCopyLink = (link: string, goTo: () => void) => {
  const say = useToasts();
  const [, go] = useLocation();
  return () => {
    const isCopied = navigator.clipboard?.writeText(`${baseUrl}${link}`) ?? Promise.reject();
    isCopied.then(
      () => say.done("Link copied"),
      () => {
        go(link, { replace: true });
        goTo();
        say.refused("Your browser blocked copying. Copy the link from the address bar.");
      },
    );
  };
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
        <p>This permanently deletes the comment, including its history.</p>
        {remove.error === null ? null : <Problem error={remove.error} />}
      </div>
    </ConfirmDialog>
  );
};
