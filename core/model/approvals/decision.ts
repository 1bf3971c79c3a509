import * as Result from "effect/Result";
import { type Actor, actingAgent, actingUser } from "../access/caller.ts";
import type { Instant } from "../shared/instant.ts";
import { mayMove } from "../shared/moves.ts";
import { type Approval, ApprovalChanged, ApprovalNotPending } from "./approval.ts";
import { approvalMoves, type Decision, decided } from "./approval-status.ts";
import type { Authority, AuthorityRefusal } from "./authority.ts";

/** A caller's decision about an approval. */
export interface Verdict {
  readonly decision: Decision;
  readonly note: string | null;
  readonly chosenOwner: string | null;
  readonly offListReason: string | null;
}

/** Whether the same caller has made the same decision before: a double click, or a lost answer. */
export const isRepeated = (approval: Approval, verdict: Verdict, by: Actor): boolean =>
  approval.status === decided[verdict.decision] &&
  (by.kind === "board"
    ? approval.decidedByUserId === by.userId
    : by.kind === "agent" && approval.decidedByAgentId === by.agentId) &&
  approval.chosenOwner === verdict.chosenOwner;

/** Refuses a decision about a replaced payload; null accepts the present one. */
export const isAboutCurrentPayload = (
  approval: Approval,
  payloadRevision: number | null,
): Result.Result<Approval, ApprovalChanged> =>
  payloadRevision === null || payloadRevision === approval.payloadRevision
    ? Result.succeed(approval)
    : Result.fail(new ApprovalChanged({ currentPayloadRevision: approval.payloadRevision }));

/** Returns the decided approval. `authority` is the evaluation of this caller, this approval and this verdict. */
export const decide = (
  approval: Approval,
  verdict: Verdict,
  authority: Pick<Authority, "refusal">,
  by: Actor,
  at: Instant,
): Result.Result<Approval, AuthorityRefusal> => {
  if (authority.refusal !== null) return Result.fail(authority.refusal);
  const status = decided[verdict.decision];
  if (approval.status !== "pending" || !mayMove(approvalMoves, approval.status, status))
    return Result.fail(new ApprovalNotPending({ status: approval.status }));
  return Result.succeed({
    ...approval,
    status,
    decisionNote: verdict.note,
    chosenOwner: verdict.chosenOwner,
    offListReason: verdict.offListReason,
    decidedByAgentId: actingAgent(by),
    decidedByUserId: actingUser(by),
    decidedAt: at,
    updatedAt: at,
  });
};
