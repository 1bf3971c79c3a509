import { useId, useState } from "react";
import { type RowOf, usePages } from "../../live/calls.ts";
import { Markdown, type References } from "../../nouns/markdown.tsx";
import { Button } from "../../widgets/button.tsx";
import { Problem } from "../../widgets/field.tsx";
import { Skeleton } from "../../widgets/skeleton.tsx";
import { Time } from "../../widgets/time.tsx";

type Comment = RowOf<"issues.comments">;

interface CommentHistoryProps {
  readonly comment: Comment;
  readonly references: References;
}

/** A button that shows what an edited comment said before. */
export const CommentHistory = ({ comment, references }: CommentHistoryProps) => {
  const id = useId();
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button
        type="button"
        className="issue-edited"
        aria-expanded={isOpen}
        aria-controls={id}
        title="Show edit history"
        onClick={() => setOpen(!isOpen)}
      >
        edited
      </button>
      <div id={id} className="issue-earlier" hidden={!isOpen}>
        {isOpen ? <EarlierTexts comment={comment} references={references} /> : null}
      </div>
    </>
  );
};

const EarlierTexts = ({ comment: { issueId, id: commentId }, references }: CommentHistoryProps) => {
  const earlier = usePages("issues.commentRevisions", { issueId, commentId });
  return (
    <>
      {earlier.isPending ? <Skeleton rows={1} /> : null}
      {earlier.isError ? <Problem error={earlier.error} /> : null}
      <ol className="plain-list">
        {earlier.rows.map(({ id, body, replacedAt }) => (
          <li key={id}>
            <p className="faint">
              Until <Time at={replacedAt} />
            </p>
            <Markdown text={body} {...references} />
          </li>
        ))}
      </ol>
      {earlier.hasNextPage ? (
        <Button small busy={earlier.isFetchingNextPage} onClick={earlier.more ?? undefined}>
          Show earlier versions
        </Button>
      ) : null}
    </>
  );
};
