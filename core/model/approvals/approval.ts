import * as Result from "effect/Result";
import { type Actor, actingAgent, actingUser } from "../access/caller.ts";
import type { AgentConfig } from "../agents/agent-config.ts";
import type { GrantedPath } from "../agents/named-paths.ts";
import { refusal } from "../shared/failure.ts";
import type { AgentId, ApprovalCommentId, ApprovalId, CompanyId, UserId } from "../shared/ids.ts";
import type { Instant } from "../shared/instant.ts";
import { mayMove } from "../shared/moves.ts";
import { approvalMoves, type StoredApprovalStatus } from "./approval-status.ts";

export const approvalTypes = ["approve_ceo_strategy", "hire_agent", "ownership_decision"] as const;
export type ApprovalType = (typeof approvalTypes)[number];

export type Payload = Readonly<Record<string, unknown>>;

/** The complete configuration of the hired agent. */
export type HirePayload = Pick<AgentConfig, keyof AgentConfig>;

export interface OwnershipQuestion extends Payload {
  readonly subject: string;
  readonly candidateOwners?: readonly string[] | undefined;
  /** The class of decision, which a grant must name. */
  readonly class?: string | undefined;
}

/** The payload of an approval, by type. */
export type Question =
  | { readonly type: "approve_ceo_strategy"; readonly payload: Payload }
  | { readonly type: "hire_agent"; readonly payload: HirePayload }
  | { readonly type: "ownership_decision"; readonly payload: OwnershipQuestion };

/** A question to the board with its answer. */
export type Approval = Question & ApprovalRecord;

interface ApprovalRecord {
  readonly id: ApprovalId;
  readonly companyId: CompanyId;
  readonly status: StoredApprovalStatus;
  /** The number of the payload: 1, and one more with each resubmission. */
  readonly payloadRevision: number;
  /** For a hire: the names of the variables whose values an agent proposes. */
  readonly proposedVariables: readonly string[];
  /** Paths of the service's machine in a hire's configuration that an instance admin has set. */
  readonly grantedPaths: readonly GrantedPath[];
  /** For a hire: the draft, or the hired agent; null for other types. */
  readonly agentId: AgentId | null;
  readonly requestedByAgentId: AgentId | null;
  readonly requestedByUserId: UserId | null;
  readonly decisionNote: string | null;
  /** For an ownership decision. */
  readonly chosenOwner: string | null;
  /** Why the chosen owner is not one of the candidates. */
  readonly offListReason: string | null;
  readonly decidedByAgentId: AgentId | null;
  readonly decidedByUserId: UserId | null;
  readonly decidedAt: Instant | null;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

/** A hire as it is judged; in a list with an outline of its payload, in which long texts are cut. */
export type HireToJudge = Pick<
  Approval & { readonly type: "hire_agent" },
  "companyId" | "status" | "payload" | "agentId" | "grantedPaths"
>;

/** A payload and its decision before a resubmission; the last round is the approval itself. */
export type Round = Pick<
  Approval,
  | "payload"
  | "payloadRevision"
  | "status"
  | "decisionNote"
  | "decidedByAgentId"
  | "decidedByUserId"
  | "decidedAt"
>;

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

export class ApprovalNotFound extends refusal("approval_not_found", "not_found", "Approval not found.") {}

export class ApprovalNotPending extends refusal(
  "approval_not_pending",
  "conflict",
  "This approval is no longer pending: it has been decided or is waiting to be resubmitted.",
) {}

/** Details: `currentPayloadRevision`. */
export class ApprovalChanged extends refusal(
  "approval_changed",
  "conflict",
  "The request has been resubmitted. Review it again before you decide.",
) {}

export class NoRevisionRequested extends refusal(
  "approval_no_revision_requested",
  "conflict",
  "Only approvals with a requested revision can be resubmitted.",
) {}

/** Resubmits: through `resubmitted` to pending, and clears the previous decision. */
export const resubmit = (approval: Approval, at: Instant): Result.Result<Approval, NoRevisionRequested> =>
  mayMove(approvalMoves, approval.status, "resubmitted")
    ? Result.succeed({
        ...approval,
        status: "pending",
        payloadRevision: approval.payloadRevision + 1,
        decisionNote: null,
        decidedByAgentId: null,
        decidedByUserId: null,
        decidedAt: null,
        updatedAt: at,
      })
    : Result.fail(new NoRevisionRequested({ status: approval.status }));

/** Rejects the undecided hire of a terminated draft. */
export const callOff = (
  approval: Approval,
  by: Actor,
  at: Instant,
): Result.Result<Approval, ApprovalNotPending> =>
  mayMove(approvalMoves, approval.status, "rejected")
    ? Result.succeed({
        ...approval,
        status: "rejected",
        decisionNote: "The draft agent has been terminated.",
        decidedByAgentId: actingAgent(by),
        decidedByUserId: actingUser(by),
        decidedAt: at,
        updatedAt: at,
      })
    : Result.fail(new ApprovalNotPending({ status: approval.status }));
