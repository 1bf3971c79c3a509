import { useState } from "react";
import { visibleText } from "../../../../core/model/shared/visible-text.ts";
import { type AnswerOf, useRead } from "../../live/calls.ts";
import type { Approval } from "../../live/records.ts";
import { useDraft } from "../../widgets/drafts.ts";
import { Form, Problem, SelectField, TextArea, TextField } from "../../widgets/field.tsx";
import { Icon } from "../../widgets/icon.tsx";
import { KeyedButton } from "../../widgets/keyed-button.tsx";
import { Skeleton } from "../../widgets/skeleton.tsx";
import { HeldDecision, useFinalWrite, useFinalWrites } from "../final-writes.tsx";
import { approvalTitle } from "./approval-labels.ts";

/** A revision without a word about what to change helps nobody. */
const demandsNote = (button: HTMLButtonElement): void => {
  const note = button.form?.querySelector<HTMLTextAreaElement>("textarea[name=decisionNote]");
  if (!note) return;
  note.setCustomValidity("Describe what should change.");
  note.addEventListener("input", () => note.setCustomValidity(""), { once: true });
  note.reportValidity();
};

/** The decision; an action that the service would refuse is not offered, and the reason stands in its place. */
export const ApprovalDecision = ({ approval }: { readonly approval: Approval }) => {
  const approvalId = approval.id;
  const authority = useRead("approvals.authority", { approvalId });
  const decision = useDecision(approval);
  const { waiting } = useFinalWrites();
  if (waiting.has(approvalId)) return <HeldDecision subject={approvalId} />;
  if (authority.data === undefined)
    return authority.error === null ? <Skeleton rows={2} /> : <Problem error={authority.error} />;
  if (!authority.data.allowed)
    return (
      <p className="approval-closed">
        <Icon name="ban" /> You can't decide this. {authority.data.refusal?.reason}
      </p>
    );
  return <DecisionForm approval={approval} authority={authority.data} decision={decision} />;
};

/** A decision while it is written; it is as before if it is taken back. */
const useDecision = ({ id, payloadRevision }: Approval) => {
  const [decisionNote, setNote] = useDraft(`decision of ${id} ${payloadRevision}`);
  const [chosenOwner, setOwner] = useState("");
  const [offListReason, setReason] = useState("");
  return { decisionNote, setNote, chosenOwner, setOwner, offListReason, setReason };
};

const candidatesOf = ({ payload: { candidateOwners } }: Approval): readonly string[] =>
  Array.isArray(candidateOwners) ? candidateOwners.map(String) : [];

const NotApproved = ({ reason }: { readonly reason: string }) => (
  <p className="approval-closed">
    <Icon name="ban" /> This can't be approved yet: {reason}
  </p>
);

interface DecisionFormProps {
  readonly decision: ReturnType<typeof useDecision>;
  readonly approval: Approval;
  readonly authority: AnswerOf<"approvals.authority">;
}

const DecisionForm = ({ approval, authority, decision }: DecisionFormProps) => {
  const { id: approvalId, payloadRevision } = approval;
  const onSent = () => decision.setNote("");
  const approve = useFinalWrite("approvals.approve", approvalId, onSent);
  const reject = useFinalWrite("approvals.reject", approvalId, onSent);
  const revise = useFinalWrite("approvals.requestRevision", approvalId, onSent);
  const { decisionNote, setNote, chosenOwner, offListReason } = decision;
  const title = approvalTitle(approval);
  const decided = {
    approvalId,
    payloadRevision,
    ...(decisionNote.trim() === "" ? {} : { decisionNote }),
  };
  const candidates = candidatesOf(approval);
  const isOffList = chosenOwner !== "" && candidates.length > 0 && !candidates.includes(chosenOwner);
  const { approveRequiresChosenOwner: needsOwner, approveRefusal } = authority;
  return (
    <section className="approval-decision" aria-label="Decide">
      {approveRefusal === null ? null : <NotApproved reason={approveRefusal.reason} />}
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
            `Approved: ${title}`,
          )
        }
      >
        <OwnerFields
          candidates={candidates}
          needsOwner={needsOwner}
          isOffList={isOffList}
          decision={decision}
        />
        <TextArea
          label="Note"
          name="decisionNote"
          {...(approval.requestedByAgentId === null ? {} : { hint: "Sent to the agent with your decision." })}
          value={decisionNote}
          onChange={setNote}
        />
        <div className="form-actions">
          <KeyedButton
            kind="danger"
            action="reject"
            onClick={() => reject.run(decided, `Rejected: ${title}`)}
          >
            Reject
          </KeyedButton>
          <KeyedButton
            action="revise"
            onClick={(button) =>
              decisionNote.trim() === ""
                ? demandsNote(button)
                : revise.run(decided, `Changes requested: ${title}`)
            }
          >
            Request changes
          </KeyedButton>
          {approveRefusal === null ? (
            <KeyedButton type="submit" kind="main" action="approve">
              Approve
            </KeyedButton>
          ) : null}
        </div>
      </Form>
    </section>
  );
};

interface OwnerFieldsProps {
  readonly candidates: readonly string[];
  readonly needsOwner: boolean;
  readonly isOffList: boolean;
  readonly decision: ReturnType<typeof useDecision>;
}

const OwnerFields = ({ candidates, needsOwner, isOffList, decision }: OwnerFieldsProps) => (
  <>
    {needsOwner ? (
      <OwnerField candidates={candidates} value={decision.chosenOwner} onChange={decision.setOwner} />
    ) : null}
    {isOffList ? (
      <TextField
        label="Why someone else"
        name="offListReason"
        required
        value={decision.offListReason}
        onChange={decision.setReason}
      />
    ) : null}
  </>
);

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
