import { useState } from "react";
import { type AnswerOf, useRead, useWrite } from "../../live/calls.ts";
import { IconButton } from "../../widgets/button.tsx";
import { useDraft } from "../../widgets/drafts.ts";
import { SelectField, TextArea } from "../../widgets/field.tsx";
import { FormDialog } from "../../widgets/form-dialog.tsx";
import { useToasts } from "../../widgets/toasts.tsx";
import { Markdown } from "../markdown.tsx";
import { type PendingComment, pendingName, type ReviewDraft, useReviewDraft } from "./review-draft.ts";

interface ReviewDialogProps {
  readonly issueId: string;
  /** Whether a gate names the reader, who may give a verdict then. */
  readonly mayJudge: boolean;
  /** The comments so far, where they are shown around the dialog; otherwise the dialog reads them. */
  readonly review: ReviewDraft | undefined;
  readonly onClose: () => void;
}

const verdicts = [
  { value: "", label: "Comment only" },
  { value: "approved", label: "Approve" },
  { value: "changes_requested", label: "Request changes" },
] as const;

type Verdict = (typeof verdicts)[number]["value"];

/** A review: comments on lines and a verdict, sent in one request, which wakes the agent once. */
export const ReviewDialog = ({ issueId, mayJudge, review: around, onClose }: ReviewDialogProps) => {
  const say = useToasts();
  const found = useReviewDraft(issueId);
  const review = around ?? found;
  const gates = useRead("issues.gates", { issueId }, { enabled: mayJudge });
  // A verdict is about the commits that were there when the form was opened.
  const [seen, setSeen] = useState<AnswerOf<"issues.gates">["commits"] | null>(null);
  if (seen === null && gates.data !== undefined) setSeen(gates.data.commits);
  const [summary, setSummary] = useDraft(`summary of the review of ${issueId}`);
  // Next to the changes, a review may be no more than comments on them.
  const [verdict, setVerdict] = useState<Verdict>(mayJudge && around === undefined ? "approved" : "");
  const onDone = () => {
    review.clear();
    setSummary("");
    onClose();
    say.done("Review sent");
  };
  const judge = useWrite("issues.review", { onDone });
  const comment = useWrite("issues.commentOnLines", { onDone });
  const note = summary.trim() === "" ? null : summary;
  // The note of a verdict is read with it.
  const comments = [...review.comments, ...(note === null || verdict !== "" ? [] : [{ body: note }])];
  const send = () => {
    if (verdict === "") comment.run({ issueId, comments });
    else judge.run({ issueId, verdict, note, comments, commits: (seen ?? []).map((each) => each.commit) });
  };
  return (
    <FormDialog
      title="Review changes"
      verb="Send review"
      wide
      write={{ busy: comment.busy || judge.busy, error: comment.error ?? judge.error }}
      disabled={verdict === "" ? comments.length === 0 : seen === null}
      onSubmit={send}
      onClose={onClose}
    >
      <Comments review={review} />
      {mayJudge ? (
        <>
          {(seen ?? []).map(({ branch, commit }) => (
            <p key={commit} className="mono muted">
              {branch} {commit.slice(0, 10)}
            </p>
          ))}
          <SelectField
            label="Verdict"
            name="verdict"
            value={verdict}
            onChange={setVerdict}
            options={verdicts}
          />
        </>
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

/** The comments that are sent with the review. */
const Comments = ({ review }: { readonly review: ReviewDraft }) =>
  review.comments.length === 0 ? (
    <p className="faint">To comment on a line, open a file under Changes and select the line's number.</p>
  ) : (
    <ul className="plain-list review-comments" aria-label="Comments of the review">
      {review.comments.map((comment: PendingComment) => (
        <li key={`${pendingName(comment)} ${comment.body}`} className="row">
          <div className="grow">
            <p className="mono muted">{pendingName(comment)}</p>
            <Markdown text={comment.body} />
          </div>
          <IconButton
            icon="trash"
            label={`Remove the comment on ${pendingName(comment)}`}
            onClick={() => review.remove(comment)}
          />
        </li>
      ))}
    </ul>
  );
