import { useState } from "react";
import { type AnswerOf, useRead, useWrite } from "../../live/calls.ts";
import { Markdown } from "../../nouns/markdown.tsx";
import { Button, IconButton } from "../../widgets/button.tsx";
import { useDraft } from "../../widgets/drafts.ts";
import { SelectField, TextArea } from "../../widgets/field.tsx";
import { FormDialog } from "../../widgets/form-dialog.tsx";
import { useToasts } from "../../widgets/toasts.tsx";
import { useIssueMay } from "./issue-shown.ts";
import { locationName } from "./quoted-location.tsx";
import type { PendingComment, ReviewDraft } from "./review-draft.ts";

/** Comments of a review on lines of one side, below the line. */
export const PendingComments = ({
  comments,
  onRemove,
}: {
  readonly comments: readonly PendingComment[];
  readonly onRemove: (comment: PendingComment) => void;
}) => (
  <ul className="plain-list issue-line-comments">
    {comments.map((comment) => (
      <li key={`${comment.path} ${comment.side} ${comment.endLine} ${comment.body}`}>
        <article className="issue-comment issue-pending" aria-label={`Pending comment on ${nameOf(comment)}`}>
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

const nameOf = ({ path, side, line, endLine }: PendingComment): string =>
  locationName({ path, side, startLine: line, endLine });

interface SendReviewProps {
  readonly issueId: string;
  readonly review: ReviewDraft;
}

/** Opens the review: its comments are sent together, and wake the agent once. */
export const SendReview = ({ issueId, review }: SendReviewProps) => {
  const [isOpen, setOpen] = useState(false);
  const mayComment = useIssueMay("comment").allowed;
  const { length: count } = review.comments;
  if (!mayComment) return null;
  return (
    <>
      <Button kind={count === 0 ? "plain" : "main"} onClick={() => setOpen(true)}>
        Review{count === 0 ? "" : ` (${count})`}
      </Button>
      {isOpen ? <ReviewForm issueId={issueId} review={review} onClose={() => setOpen(false)} /> : null}
    </>
  );
};

const verdicts = [
  { value: "", label: "Comment only" },
  { value: "approved", label: "Approve" },
  { value: "changes_requested", label: "Request changes" },
] as const;

type Verdict = (typeof verdicts)[number]["value"];

const ReviewForm = ({ issueId, review, onClose }: SendReviewProps & { readonly onClose: () => void }) => {
  const say = useToasts();
  const mayJudge = useIssueMay("review").allowed;
  const gates = useRead("issues.gates", { issueId }, { enabled: mayJudge });
  // A verdict is about the commits that were there when the form was opened.
  const [seen, setSeen] = useState<AnswerOf<"issues.gates">["commits"] | null>(null);
  if (seen === null && gates.data !== undefined) setSeen(gates.data.commits);
  const [summary, setSummary] = useDraft(`summary of the review of ${issueId}`);
  const note = summary.trim();
  const [verdict, setVerdict] = useState<Verdict>("");
  const finish = () => {
    review.clear();
    setSummary("");
    onClose();
    say.done("Review sent");
  };
  const judge = useWrite("issues.review", { onDone: finish });
  const judgeOr = (verdict: Verdict) => {
    if (verdict === "") return finish();
    const commits = (seen ?? []).map(({ commit }) => commit);
    judge.run({ issueId, verdict, commits, note: note === "" ? null : summary });
  };
  const send = useWrite("issues.commentOnLines", {
    onDone: () => {
      // A verdict that is refused is sent again without them.
      review.clear();
      judgeOr(verdict);
    },
  });
  // The note of a verdict is read with it.
  const comments = [...review.comments, ...(note === "" || verdict !== "" ? [] : [{ body: note }])];
  return (
    <FormDialog
      title="Review changes"
      verb="Send review"
      wide
      write={{ busy: send.busy || judge.busy, error: send.error ?? judge.error }}
      disabled={verdict === "" ? comments.length === 0 : seen === null}
      onSubmit={() => (comments.length === 0 ? judgeOr(verdict) : send.run({ issueId, comments }))}
      onClose={onClose}
    >
      {review.comments.length === 0 ? (
        <p className="faint">To comment on a line, open a file and select the line's number.</p>
      ) : (
        <ul className="plain-list issue-review-list" aria-label="Comments of the review">
          {review.comments.map((comment) => (
            <li key={`${nameOf(comment)} ${comment.body}`} className="row">
              <div className="grow">
                <p className="mono muted">{nameOf(comment)}</p>
                <Markdown text={comment.body} />
              </div>
              <IconButton
                icon="trash"
                label={`Remove the comment on ${nameOf(comment)}`}
                onClick={() => review.remove(comment)}
              />
            </li>
          ))}
        </ul>
      )}
      {mayJudge ? (
        <SelectField
          label="Verdict"
          name="verdict"
          value={verdict}
          onChange={setVerdict}
          options={verdicts}
        />
      ) : null}
      <TextArea
        label="Summary"
        name="summary"
        hint="Optional. The assignee is notified once, with all comments."
        value={summary}
        onChange={setSummary}
      />
    </FormDialog>
  );
};
