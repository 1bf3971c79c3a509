import type { ReactNode } from "react";
import type { Interaction } from "../../live/records.ts";
import { useSession } from "../../live/session.ts";
import { ActionButton } from "../../widgets/action-button.tsx";
import { Problem } from "../../widgets/field.tsx";
import { HeldDecision, useFinalWrite } from "../final-writes.tsx";

interface InteractionActionsProps {
  readonly interaction: Interaction;
  /** The last refusal of a decision. */
  readonly error: unknown;
  readonly children: ReactNode;
}

/**
 * The buttons of a pending interaction. Its author takes it back, somebody else dismisses it: the same action. Without the role to
 * decide, says who may.
 */
export const InteractionActions = ({ interaction, error, children }: InteractionActionsProps) => {
  const { callerMay: mayDo, kind } = interaction;
  const may = mayDo[kind === "ask_user_questions" ? "respond" : "reject"];
  const cancel = useFinalWrite("interactions.cancel", interaction.id);
  const isOwn = useSession().userId === interaction.createdByUserId;
  if (!may.allowed) return <p className="faint">{may.error}</p>;
  if (cancel.waits !== null) return <HeldDecision subject={interaction.id} />;
  const refusal = error ?? cancel.error;
  const cannotAccept = kind === "ask_user_questions" || mayDo.accept.allowed ? null : mayDo.accept.error;
  return (
    <>
      {cannotAccept === null ? null : <p className="faint">This can't be accepted yet: {cannotAccept}</p>}
      {refusal === null ? null : <Problem error={refusal} />}
      <div className="form-actions">
        <ActionButton
          may={mayDo.cancel}
          kind="quiet"
          onClick={() =>
            cancel.run(
              { issueId: interaction.issueId, interactionId: interaction.id },
              `${isOwn ? "Withdrawn" : "Dismissed"}: ${interaction.title ?? "the interaction"}.`,
            )
          }
        >
          {isOwn ? "Withdraw" : "Dismiss"}
        </ActionButton>
        {children}
      </div>
    </>
  );
};
