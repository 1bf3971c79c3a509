import { useState } from "react";
import { type AnswerOf, useWrite } from "../../live/calls.ts";
import { SelectField, TextArea } from "../../widgets/field.tsx";
import { FormDialog } from "../../widgets/form-dialog.tsx";

type Gates = AnswerOf<"issues.gates">;

interface ReviewDialogProps {
  readonly issueId: string;
  readonly commits: Gates["commits"];
  readonly onClose: () => void;
}

const verdicts = [
  { value: "approved", label: "Approve" },
  { value: "changes_requested", label: "Request changes" },
] as const;

/** A review of the commits that were there when it was opened. */
export const ReviewDialog = ({ issueId, commits, onClose }: ReviewDialogProps) => {
  const [seen] = useState(commits);
  const [verdict, setVerdict] = useState<(typeof verdicts)[number]["value"]>("approved");
  const [note, setNote] = useState("");
  const review = useWrite("issues.review", { onDone: onClose });
  return (
    <FormDialog
      title="Review"
      verb="Send"
      write={review}
      onClose={onClose}
      onSubmit={() =>
        review.run({
          issueId,
          verdict,
          commits: seen.map(({ commit }) => commit),
          note: note.trim() === "" ? null : note,
        })
      }
    >
      {seen.map(({ branch, commit }) => (
        <p key={commit} className="mono">
          {branch} {commit.slice(0, 10)}
        </p>
      ))}
      <SelectField label="Verdict" name="verdict" value={verdict} onChange={setVerdict} options={verdicts} />
      <TextArea label="Note" name="note" value={note} onChange={setNote} />
    </FormDialog>
  );
};
