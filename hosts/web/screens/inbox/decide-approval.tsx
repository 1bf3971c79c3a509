import { useState } from "react";
import { useWrite } from "../../live/calls.ts";
import { Button, LinkButton } from "../../parts/button.tsx";
import { Problem, TextArea } from "../../parts/field.tsx";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { useToasts } from "../../parts/toasts.tsx";
import { type Entry, type EntryProps, offers, pathOf } from "./entry.ts";

/** Decides an approval. */
export const DecideApproval = ({ entry, prefix }: EntryProps) => {
  const say = useToasts();
  const [asking, setAsking] = useState<"reject" | "requestRevision" | null>(null);
  const done = (word: string) => () => {
    setAsking(null);
    say.done(`${entry.subject.title}: ${word}.`);
  };
  const approve = useWrite("approvals.approve", { onDone: done("approved") });
  const path = pathOf(entry, prefix);
  // An owner is chosen where the candidates are shown.
  const needsChoice = approve.error !== null;
  return (
    <div className="inbox-actions">
      {needsChoice ? <Problem error={approve.error} /> : null}
      {needsChoice && path !== null ? (
        <LinkButton to={path}>Open</LinkButton>
      ) : !offers(entry, "approve") ? null : (
        <Button
          kind="main"
          small
          busy={approve.busy}
          onClick={() =>
            approve.run({ approvalId: entry.subject.id, payloadRevision: entry.payloadRevision ?? undefined })
          }
        >
          Approve
        </Button>
      )}
      {offers(entry, "request_revision") ? (
        <Button small onClick={() => setAsking("requestRevision")}>
          Ask for changes
        </Button>
      ) : null}
      {offers(entry, "reject") ? (
        <Button small onClick={() => setAsking("reject")}>
          Reject
        </Button>
      ) : null}
      {asking === null ? null : (
        <NoteDialog entry={entry} decision={asking} onClose={() => setAsking(null)} onDone={done} />
      )}
    </div>
  );
};

interface NoteProps {
  readonly entry: Entry;
  readonly decision: "reject" | "requestRevision";
  readonly onClose: () => void;
  readonly onDone: (word: string) => () => void;
}

const NoteDialog = ({ entry, decision, onClose, onDone }: NoteProps) => {
  const [note, setNote] = useState("");
  const reject = useWrite("approvals.reject", { onDone: onDone("rejected") });
  const revise = useWrite("approvals.requestRevision", { onDone: onDone("changes asked for") });
  const write = decision === "reject" ? reject : revise;
  const verb = decision === "reject" ? "Reject" : "Ask for changes";
  return (
    <FormDialog
      title={`${verb}: ${entry.subject.title}`}
      verb={verb}
      kind={decision === "reject" ? "danger" : "main"}
      write={write}
      onSubmit={() =>
        write.run({
          approvalId: entry.subject.id,
          payloadRevision: entry.payloadRevision ?? undefined,
          ...(note.trim() === "" ? {} : { decisionNote: note }),
        })
      }
      onClose={onClose}
    >
      <TextArea
        label="Note"
        name="decisionNote"
        hint={entry.agent === null ? undefined : `${entry.agent.name} is woken and reads it.`}
        required={decision === "requestRevision"}
        value={note}
        onChange={setNote}
      />
    </FormDialog>
  );
};
