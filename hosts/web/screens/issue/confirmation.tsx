import { useState } from "react";
import type { RequestConfirmation } from "../../../../core/issues/interactions/payload.ts";
import { useWrite } from "../../live/calls.ts";
import type { Interaction } from "../../live/records.ts";
import { Button } from "../../parts/button.tsx";
import { useDraft } from "../../parts/drafts.ts";
import { Form, TextArea } from "../../parts/field.tsx";
import { Markdown } from "../../parts/markdown.tsx";
import { safeLink } from "../../parts/safe-link.ts";
import { useHere } from "../../shell/company.tsx";
import { InteractionActions } from "./interaction-actions.tsx";

interface ConfirmationProps {
  readonly interaction: Interaction;
  readonly payload: RequestConfirmation;
}

/** A question with yes and no, and what is to be known before answering. */
export const Confirmation = ({ interaction, payload }: ConfirmationProps) => {
  const here = useHere();
  return (
    <>
      <p className="issue-text">{payload.prompt}</p>
      <Target target={payload.target} />
      {payload.detailsMarkdown === undefined ? null : (
        <Markdown text={payload.detailsMarkdown} issuePath={(named) => here(`/issues/${named}`)} />
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
  const accept = useWrite("interactions.accept");
  const reject = useWrite("interactions.reject", { onDone: () => setReason("") });
  const named = { issueId: interaction.issueId, interactionId: interaction.id };
  const rejectLabel = payload.rejectLabel ?? "Reject";
  if (isRejecting)
    return (
      <Form
        label={rejectLabel}
        error={reject.error}
        onSubmit={() => reject.run({ ...named, ...(reason.trim() === "" ? {} : { reason }) })}
      >
        <TextArea
          label={payload.rejectReasonLabel ?? "Reason"}
          name="reason"
          required={rejectRequiresReason}
          placeholder={payload.declineReasonPlaceholder}
          hint="Kept with the interaction. It wakes nobody: say the rest in a comment."
          value={reason}
          onChange={setReason}
        />
        <div className="form-actions">
          <Button onClick={() => setRejecting(false)}>Go back</Button>
          <Button type="submit" kind="danger" busy={reject.busy}>
            {rejectLabel}
          </Button>
        </div>
      </Form>
    );
  return (
    <InteractionActions interaction={interaction} error={accept.error ?? reject.error}>
      <Button
        kind="danger"
        busy={reject.busy}
        onClick={() => (takesReason ? setRejecting(true) : reject.run(named))}
      >
        {rejectLabel}
      </Button>
      <Button kind="main" busy={accept.busy} onClick={() => accept.run(named)}>
        {payload.acceptLabel ?? "Accept"}
      </Button>
    </InteractionActions>
  );
};
