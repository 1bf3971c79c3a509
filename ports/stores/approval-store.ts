import type * as Effect from "effect/Effect";
import type {
  Approval,
  ApprovalComment,
  ApprovalNotFound,
  HireToJudge,
} from "../../core/model/approvals/approval.ts";
import type { Issue } from "../../core/model/issues/issue.ts";
import type { AgentId, ApprovalId, CompanyId, IssueId, RunId } from "../../core/model/shared/ids.ts";
import type { Instant } from "../../core/model/shared/instant.ts";

/** An issue linked to an approval, with the fields that a decision needs. */
export type LinkedIssue = Pick<Issue, "id" | "identifier" | "status" | "assigneeAgentId">;

export interface ApprovalStore {
  find(id: ApprovalId): Effect.Effect<Approval, ApprovalNotFound>;
  /** A hire with an outline of its payload. */
  findHireOutline(id: ApprovalId): Effect.Effect<HireToJudge, ApprovalNotFound>;
  /** Waits for a concurrent lock and takes it, after the locks of the agents concerned. */
  lock(id: ApprovalId): Effect.Effect<Approval, ApprovalNotFound>;
  /** Locks the undecided hire of a draft; null if none exists. */
  lockHireOf(agentId: AgentId): Effect.Effect<Approval | null>;
  /** Stores the payload and the decision of the round before a resubmit. */
  saveRound(approval: Approval): Effect.Effect<void>;
  insert(approval: Approval): Effect.Effect<void>;
  save(approval: Approval): Effect.Effect<void>;
  /** Links issues; a repeated link has no further effect. */
  link(companyId: CompanyId, id: ApprovalId, issueIds: readonly IssueId[], at: Instant): Effect.Effect<void>;
  /** Returns false where it was not linked. */
  unlink(id: ApprovalId, issueId: IssueId): Effect.Effect<boolean>;
  /** In order of linking. */
  linkedIssues(id: ApprovalId): Effect.Effect<readonly LinkedIssue[]>;
  /** Returns the issue of a run; null where it has none. */
  issueOfRun(runId: RunId): Effect.Effect<IssueId | null>;
  insertComment(comment: ApprovalComment): Effect.Effect<void>;
}
