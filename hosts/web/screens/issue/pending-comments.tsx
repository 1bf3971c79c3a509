import { type PendingComment, pendingName } from "../../nouns/issues/review-draft.ts";
import { Markdown } from "../../nouns/markdown.tsx";
import { IconButton } from "../../widgets/button.tsx";

interface PendingCommentsProps {
  readonly comments: readonly PendingComment[];
  readonly onRemove: (comment: PendingComment) => void;
}

/** Comments of a review on lines of one side, below the line. */
export const PendingComments = ({ comments, onRemove }: PendingCommentsProps) => (
  <ul className="plain-list issue-line-comments">
    {comments.map((comment) => (
      <li key={`${comment.path} ${comment.side} ${comment.endLine} ${comment.body}`}>
        <article
          className="issue-comment issue-pending"
          aria-label={`Pending comment on ${pendingName(comment)}`}
        >
          <header className="row-wrap">
            <span className="faint grow">Pending: sent with your review</span>
            <IconButton icon="trash" label="Remove from the review" onClick={() => onRemove(comment)} />
          </header>
          <Markdown text={comment.body} />
        </article>
      </li>
    ))}
  </ul>
);
