import type { Actor } from "../access/caller.ts";
import { callerMayOf } from "../access/caller-may.ts";
import { NotAllowed, type Refusal } from "../shared/failure.ts";
import { mayMove } from "../shared/moves.ts";
import { type Approval, NoRevisionRequested } from "./approval.ts";
import { approvalMoves } from "./approval-status.ts";
import type { Authority } from "./authority.ts";

/** The facts on which the actions on the approval depend. */
export interface ApprovalFacts extends Pick<Approval, "status" | "requestedByAgentId"> {
  /** The evaluation of the reader, without a decision. */
  readonly authority: Pick<Authority, "refusal">;
  /** Why it cannot be approved although the reader may decide it; see `refusalOfHire`. */
  readonly approveRefusal: Refusal | null;
}

/** Returns why the approval is not resubmitted, or null. */
export const refusalOfResubmit = (
  { status, requestedByAgentId }: Pick<Approval, "status" | "requestedByAgentId">,
  by: Actor,
): NotAllowed | NoRevisionRequested | null => {
  if (by.kind === "agent" && by.agentId !== requestedByAgentId)
    return new NotAllowed(undefined, "Only the agent that made the request can resubmit it.");
  return mayMove(approvalMoves, status, "resubmitted") ? null : new NoRevisionRequested({ status });
};

const refusalOfDecision = ({ authority }: ApprovalFacts) => authority.refusal;

/** The actions that a reader may take on the approval. */
export const approvalActions = callerMayOf<"approval", ApprovalFacts>("approval", {
  approve: (facts) => refusalOfDecision(facts) ?? facts.approveRefusal,
  reject: refusalOfDecision,
  requestRevision: refusalOfDecision,
  resubmit: refusalOfResubmit,
  comment: null,
});
