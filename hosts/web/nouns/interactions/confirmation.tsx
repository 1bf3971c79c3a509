import { useState } from "react";
import type { RequestConfirmation } from "../../../../core/model/issues/interactions/payload.ts";
import type { Interaction } from "../../live/records.ts";
import { Button } from "../../widgets/button.tsx";
import { useDraft } from "../../widgets/drafts.ts";
import { Form, TextArea } from "../../widgets/field.tsx";
import { KeyedButton } from "../../widgets/keyed-button.tsx";
import { safeLink } from "../../widgets/safe-link.ts";
import { useIssuePath } from "../companies/company.tsx";
import { HeldDecision, useFinalWrite } from "../final-writes.tsx";
import { Markdown } from "../markdown.tsx";
import { InteractionActions } from "./interaction-actions.tsx";

interface ConfirmationProps {
  readonly interaction: Interaction;
  readonly payload: RequestConfirmation;
}

/** A question with yes and no, and what is to be known before answering. */
export const Confirmation = ({ interaction, payload }: ConfirmationProps) => {
  const issuePath = useIssuePath();
  return (
    <>
      <Markdown isPart text={payload.prompt} issuePath={issuePath} />
      <Target target={payload.target} />
      {payload.detailsMarkdown === undefined ? null : (
        <Markdown text={payload.detailsMarkdown} issuePath={issuePath} />
      )}
      {interaction.status === "pending" ? <Decision interaction={interaction} payload={payload} /> : null}
    </>
  );
};

const Target = ({ target }: Pick<RequestConfirmation, "target">) => {
  if (target === undefined || target === null) return null;
  const { key, label = key, revisionNumber, href } = target;
  const to = href === undefined ? null : safeLink(href);
  return (
    <p className="muted">
      About{" "}
      {to === null ? (
        label
      ) : (
        <a href={to} target="_blank" rel="noopener noreferrer">
          {label}
        </a>
      )}
      {revisionNumber === undefined ? "" : `, revision ${revisionNumber}`}
    </p>
  );
};

const Decision = ({ interaction, payload }: ConfirmationProps) => {
  const { rejectRequiresReason = false, allowDeclineReason = true } = payload;
  const takesReason = rejectRequiresReason || allowDeclineReason;
  const [reason, setReason] = useDraft(`rejection of ${interaction.id}`);
  const [isRejecting, setRejecting] = useState(false);
  const accept = useFinalWrite("interactions.accept", interaction.id);
  const reject = useFinalWrite("interactions.reject", interaction.id, () => setReason(""));
  const named = { issueId: interaction.issueId, interactionId: interaction.id };
  const title = interaction.title ?? payload.prompt;
  const rejectLabel = payload.rejectLabel ?? "Reject";
  if (accept.waits !== null) return <HeldDecision subject={interaction.id} />;
  if (isRejecting)
    return (
      <Form
        label={rejectLabel}
        error={reject.error}
        onSubmit={() =>
          reject.run({ ...named, ...(reason.trim() === "" ? {} : { reason }) }, `Rejected: ${title}`)
        }
      >
        <TextArea
          label={payload.rejectReasonLabel ?? "Reason"}
          name="reason"
          required={rejectRequiresReason}
          placeholder={payload.declineReasonPlaceholder}
          hint="Saved with your answer. No agent is notified; add a comment if needed."
          value={reason}
          onChange={setReason}
        />
        <div className="form-actions">
          <Button onClick={() => setRejecting(false)}>Back</Button>
          <Button type="submit" kind="danger">
            {rejectLabel}
          </Button>
        </div>
      </Form>
    );
  return (
    <InteractionActions interaction={interaction} error={accept.error}>
      <KeyedButton
        kind="danger"
        action="reject"
        onClick={() => (takesReason ? setRejecting(true) : reject.run(named, `Rejected: ${title}`))}
      >
        {rejectLabel}
      </KeyedButton>
      <KeyedButton kind="main" action="approve" onClick={() => accept.run(named, `Accepted: ${title}`)}>
        {payload.acceptLabel ?? "Accept"}
      </KeyedButton>
    </InteractionActions>
  );
};
