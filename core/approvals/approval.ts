import * as Result from "effect/Result";
import { type Actor, actingAgent, actingUser } from "../access/caller.ts";
import { refusal } from "../shared/failure.ts";
import type { AgentId, ApprovalCommentId, ApprovalId, CompanyId, UserId } from "../shared/ids.ts";
import type { Instant } from "../shared/instant.ts";
import { type Decision, decided, type StoredApprovalStatus } from "./approval-status.ts";

export const approvalTypes = ["approve_ceo_strategy", "hire_agent", "ownership_decision"] as const;
export type ApprovalType = (typeof approvalTypes)[number];

export type Payload = Readonly<Record<string, unknown>>;

/** A question to the board, and its answer. */
export interface Approval {
  readonly id: ApprovalId;
  readonly companyId: CompanyId;
  readonly type: ApprovalType;
  readonly status: StoredApprovalStatus;
  readonly payload: Payload;
  /** Counts what was asked for: 1, and one more with each resubmit. */
  readonly payloadRevision: number;
  /** Of a hire: the draft, or once it is approved whoever was hired; null for other types. */
  readonly agentId: AgentId | null;
  readonly requestedByAgentId: AgentId | null;
  readonly requestedByUserId: UserId | null;
  readonly decisionNote: string | null;
  /** Of an ownership decision. */
  readonly chosenOwner: string | null;
  /** Why the chosen owner is none of the candidates. */
  readonly offListReason: string | null;
  readonly decidedByAgentId: AgentId | null;
  readonly decidedByUserId: UserId | null;
  readonly decidedAt: Instant | null;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

export interface ApprovalComment {
  readonly id: ApprovalCommentId;
  readonly companyId: CompanyId;
  readonly approvalId: ApprovalId;
  /** Markdown. */
  readonly body: string;
  readonly authorAgentId: AgentId | null;
  readonly authorUserId: UserId | null;
  readonly createdAt: Instant;
}

export class ApprovalNotFound extends refusal(
  "approval_not_found",
  "not_found",
  "There is no such approval.",
) {}

export class ApprovalNotPending extends refusal(
  "approval_not_pending",
  "conflict",
  "The approval is not pending: it has been decided, or waits to be resubmitted.",
) {}

/** Details: `currentPayloadRevision`. */
export class ApprovalChanged extends refusal(
  "approval_changed",
  "conflict",
  "What is asked for was resubmitted since: look at it again before you decide.",
) {}

export class NoRevisionRequested extends refusal(
  "approval_no_revision_requested",
  "conflict",
  "Only an approval whose revision was requested is resubmitted.",
) {}

/** What somebody says to an approval. */
export interface Verdict {
  readonly decision: Decision;
  readonly note: string | null;
  readonly chosenOwner: string | null;
  readonly offListReason: string | null;
}

/** The same decision by the same caller, said before: a double click, or an answer that got lost. */
export const isRepeated = (approval: Approval, verdict: Verdict, by: Actor): boolean =>
  approval.status === decided[verdict.decision] &&
  (by.kind === "board"
    ? approval.decidedByUserId === by.userId
    : by.kind === "agent" && approval.decidedByAgentId === by.agentId) &&
  approval.chosenOwner === verdict.chosenOwner;

/** Whether it is decided on what was seen; whoever names no revision takes it as it is. */
export const isAboutCurrentPayload = (
  approval: Approval,
  payloadRevision: number | null,
): Result.Result<Approval, ApprovalChanged> =>
  payloadRevision === null || payloadRevision === approval.payloadRevision
    ? Result.succeed(approval)
    : Result.fail(new ApprovalChanged({ currentPayloadRevision: approval.payloadRevision }));

/** The approval as decided. Whoever calls has asked `evaluateAuthority` first. */
export const decide = (
  approval: Approval,
  verdict: Verdict,
  by: Actor,
  at: Instant,
): Result.Result<Approval, ApprovalNotPending> =>
  approval.status !== "pending"
    ? Result.fail(new ApprovalNotPending({ status: approval.status }))
    : Result.succeed({
        ...approval,
        status: decided[verdict.decision],
        decisionNote: verdict.note,
        chosenOwner: verdict.chosenOwner,
        offListReason: verdict.offListReason,
        decidedByAgentId: actingAgent(by),
        decidedByUserId: actingUser(by),
        decidedAt: at,
        updatedAt: at,
      });

/** Asked anew: through `resubmitted` to pending, with nothing left of the decision before. */
export const resubmit = (
  approval: Approval,
  payload: Payload,
  at: Instant,
): Result.Result<Approval, NoRevisionRequested> =>
  approval.status !== "revision_requested"
    ? Result.fail(new NoRevisionRequested({ status: approval.status }))
    : Result.succeed({
        ...approval,
        status: "pending",
        payload,
        payloadRevision: approval.payloadRevision + 1,
        decisionNote: null,
        decidedByAgentId: null,
        decidedByUserId: null,
        decidedAt: null,
        updatedAt: at,
      });

/** The hire of a draft that is terminated is off, whatever its state. */
export const callOff = (approval: Approval, by: Actor, at: Instant): Approval => ({
  ...approval,
  status: "rejected",
  decisionNote: "The draft agent was terminated.",
  decidedByAgentId: actingAgent(by),
  decidedByUserId: actingUser(by),
  decidedAt: at,
  updatedAt: at,
});
