import { useState } from "react";
import { visibleText } from "../../../../core/model/shared/visible-text.ts";
import { useRead } from "../../live/calls.ts";
import type { Approval } from "../../live/records.ts";
import { Button } from "../../widgets/button.tsx";
import { useDraft } from "../../widgets/drafts.ts";
import { Form, Problem, SelectField, TextArea, TextField } from "../../widgets/field.tsx";
import { Icon } from "../../widgets/icon.tsx";
import { Skeleton } from "../../widgets/skeleton.tsx";
import { HeldDecision, useFinalWrite } from "../final-writes.tsx";
import { approvalTitle } from "./approval-words.ts";

/** A revision without a word about what to change helps nobody. */
const demandsNote = (button: HTMLButtonElement): void => {
  const note = button.form?.querySelector<HTMLTextAreaElement>("textarea[name=decisionNote]");
  if (!note) return;
  note.setCustomValidity("Say what should change.");
  note.addEventListener("input", () => note.setCustomValidity(""), { once: true });
  note.reportValidity();
};

/** The decision; an action that the service would refuse is not offered, and the reason stands in its place. */
export const ApprovalDecision = ({ approval }: { readonly approval: Approval }) => {
  const approvalId = approval.id;
  const { payloadRevision } = approval;
  const authority = useRead("approvals.authority", { approvalId });
  const [decisionNote, setNote] = useDraft(`decision of ${approvalId} ${payloadRevision}`);
  const [chosenOwner, setOwner] = useState("");
  const [offListReason, setReason] = useState("");
  const onSent = () => setNote("");
  const approve = useFinalWrite("approvals.approve", approvalId, onSent);
  const reject = useFinalWrite("approvals.reject", approvalId, onSent);
  const revise = useFinalWrite("approvals.requestRevision", approvalId, onSent);
  const title = approvalTitle(approval);
  if (approve.waits !== null) return <HeldDecision subject={approvalId} />;
  if (authority.data === undefined)
    return authority.error === null ? <Skeleton rows={2} /> : <Problem error={authority.error} />;
  if (!authority.data.allowed)
    return (
      <p className="approval-closed">
        <Icon name="ban" /> You may not decide this. {authority.data.refusal?.reason}
      </p>
    );
  const decided = {
    approvalId,
    payloadRevision,
    ...(decisionNote.trim() === "" ? {} : { decisionNote }),
  };
  const candidates = Array.isArray(approval.payload.candidateOwners)
    ? approval.payload.candidateOwners.map(String)
    : [];
  const isOffList = chosenOwner !== "" && candidates.length > 0 && !candidates.includes(chosenOwner);
  const { approveRequiresChosenOwner: needsOwner, approveRefusal } = authority.data;
  return (
    <section className="approval-decision" aria-label="Decide">
      {approveRefusal === null ? null : (
        <p className="approval-closed">
          <Icon name="ban" /> It cannot be approved as it is: {approveRefusal.reason}
        </p>
      )}
      <Form
        label="Decide"
        error={approve.error}
        onSubmit={() =>
          approve.run(
            {
              ...decided,
              ...(needsOwner ? { chosenOwner } : {}),
              ...(isOffList ? { offListReason } : {}),
            },
            `Approved: ${title}.`,
          )
        }
      >
        {needsOwner ? <OwnerField candidates={candidates} value={chosenOwner} onChange={setOwner} /> : null}
        {isOffList ? (
          <TextField
            label="Why none of the candidates"
            name="offListReason"
            required
            value={offListReason}
            onChange={setReason}
          />
        ) : null}
        <TextArea
          label="Note"
          name="decisionNote"
          {...(approval.requestedByAgentId === null
            ? {}
            : { hint: "The agent that asked is woken and reads it." })}
          value={decisionNote}
          onChange={setNote}
        />
        <div className="form-actions">
          <Button
            kind="danger"
            data-decides="reject"
            onClick={() => reject.run(decided, `Rejected: ${title}.`)}
          >
            Reject
          </Button>
          <Button
            data-decides="revise"
            onClick={({ currentTarget }) =>
              decisionNote.trim() === ""
                ? demandsNote(currentTarget)
                : revise.run(decided, `Changes asked for: ${title}.`)
            }
          >
            Ask for changes
          </Button>
          {approveRefusal === null ? (
            <Button type="submit" kind="main" data-decides="approve">
              Approve
            </Button>
          ) : null}
        </div>
      </Form>
    </section>
  );
};

interface OwnerFieldProps {
  readonly candidates: readonly string[];
  readonly value: string;
  readonly onChange: (owner: string) => void;
}

const OwnerField = ({ candidates, value, onChange }: OwnerFieldProps) =>
  candidates.length > 0 ? (
    <SelectField
      label="Owner"
      name="chosenOwner"
      required
      options={[
        { value: "", label: "Choose an owner" },
        ...candidates.map((each) => ({ value: each, label: visibleText(each) })),
      ]}
      value={value}
      onChange={onChange}
    />
  ) : (
    <TextField label="Owner" name="chosenOwner" required value={value} onChange={onChange} />
  );
