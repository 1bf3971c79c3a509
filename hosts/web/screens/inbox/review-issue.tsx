import { useState } from "react";
import { useFinalWrite } from "../../nouns/final-writes.tsx";
import { Problem, TextArea } from "../../widgets/field.tsx";
import { FormDialog } from "../../widgets/form-dialog.tsx";
import { KeyedButton } from "../../widgets/keyed-button.tsx";
import { type Entry, offers, refusalOf } from "./entry.ts";
import { WorkDecisions } from "./work-decisions.tsx";

/** Ends a review, or sends the issue back. */
export const ReviewIssue = ({ entry }: { readonly entry: Entry }) => {
  const [isReturning, setReturning] = useState(false);
  const issueId = entry.issue?.id ?? "";
  const named = entry.issue?.identifier;
  const finish = useFinalWrite("issues.update", issueId);
  const refusal = refusalOf(entry);
  return (
    <div className="inbox-actions">
      {finish.error === null ? null : <Problem error={finish.error} />}
      {refusal === null ? null : <p className="faint">{refusal}</p>}
      {offers(entry, "finish") ? (
        <KeyedButton
          kind="main"
          action="approve"
          onClick={() => finish.run({ issueId, status: "done" }, `${named} completed`)}
        >
          Done
        </KeyedButton>
      ) : null}
      {entry.agent === null || !offers(entry, "send_back") ? null : (
        <KeyedButton action="revise" onClick={() => setReturning(true)}>
          Send back
        </KeyedButton>
      )}
      {issueId === "" ? null : <WorkDecisions issueId={issueId} />}
      {isReturning ? <SendBack entry={entry} onClose={() => setReturning(false)} /> : null}
    </div>
  );
};

/** Gives the issue to the agent that asked for the review, with a comment. */
const SendBack = ({ entry, onClose }: { readonly entry: Entry; readonly onClose: () => void }) => {
  const [comment, setComment] = useState("");
  const send = useFinalWrite("issues.update", entry.issue?.id ?? "");
  return (
    <FormDialog
      title={`Send back: ${entry.subject.title}`}
      verb="Send back"
      write={{ busy: false, error: send.error }}
      onSubmit={() => {
        send.run(
          {
            issueId: entry.issue?.id ?? "",
            status: "todo",
            assigneeAgentId: entry.agent?.id ?? null,
            comment,
          },
          `${entry.agent?.name} has ${entry.issue?.identifier} again.`,
        );
        onClose();
      }}
      onClose={onClose}
    >
      <TextArea
        label="Comment"
        name="comment"
        required
        hint={`Sent to ${entry.agent?.name}.`}
        value={comment}
        onChange={setComment}
      />
    </FormDialog>
  );
};
