import { useState } from "react";
import { useWrite } from "../../live/calls.ts";
import { Button, LinkButton } from "../../parts/button.tsx";
import { Problem, TextArea } from "../../parts/field.tsx";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { useToasts } from "../../parts/toasts.tsx";
import { type Entry, type EntryProps, offers, pathOf } from "./entry.ts";

/** Ends a review, or sends the issue back. */
export const ReviewIssue = ({ entry, prefix }: EntryProps) => {
  const say = useToasts();
  const [isReturning, setReturning] = useState(false);
  const issueId = entry.issue?.id ?? "";
  const named = entry.issue?.identifier;
  const finish = useWrite("issues.update", { onDone: () => say.done(`${named} is done.`) });
  const path = pathOf(entry, prefix);
  return (
    <div className="inbox-actions">
      {finish.error === null ? null : <Problem error={finish.error} />}
      {offers(entry, "finish") ? (
        <Button kind="main" small busy={finish.busy} onClick={() => finish.run({ issueId, status: "done" })}>
          Done
        </Button>
      ) : null}
      {entry.agent === null || !offers(entry, "send_back") ? null : (
        <Button small onClick={() => setReturning(true)}>
          Send back
        </Button>
      )}
      {path === null ? null : (
        <LinkButton small to={path}>
          Read
        </LinkButton>
      )}
      {isReturning ? <SendBack entry={entry} onClose={() => setReturning(false)} /> : null}
    </div>
  );
};

/** Gives the issue to the agent that asked for the review, with a comment. */
const SendBack = ({ entry, onClose }: { readonly entry: Entry; readonly onClose: () => void }) => {
  const [comment, setComment] = useState("");
  const say = useToasts();
  const send = useWrite("issues.update", {
    onDone: () => {
      onClose();
      say.done(`${entry.agent?.name} has ${entry.issue?.identifier} again.`);
    },
  });
  return (
    <FormDialog
      title={`Send back: ${entry.subject.title}`}
      verb="Send back"
      write={send}
      onSubmit={() =>
        send.run({
          issueId: entry.issue?.id ?? "",
          status: "todo",
          assigneeAgentId: entry.agent?.id ?? null,
          comment,
        })
      }
      onClose={onClose}
    >
      <TextArea
        label="Comment"
        name="comment"
        required
        hint={`${entry.agent?.name} is woken and reads it.`}
        value={comment}
        onChange={setComment}
      />
    </FormDialog>
  );
};
