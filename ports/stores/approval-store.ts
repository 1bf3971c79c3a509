import type * as Effect from "effect/Effect";
import type { Approval, ApprovalComment, ApprovalNotFound } from "../../core/approvals/approval.ts";
import type { Issue } from "../../core/issues/issue.ts";
import type { AgentId, ApprovalId, CompanyId, IssueId, RunId } from "../../core/shared/ids.ts";
import type { Instant } from "../../core/shared/instant.ts";

/** An issue that an approval is about, as far as a decision asks. */
export type LinkedIssue = Pick<Issue, "id" | "identifier" | "status" | "assigneeAgentId">;

export interface ApprovalStore {
  find(id: ApprovalId): Effect.Effect<Approval, ApprovalNotFound>;
  /** Locks it, after waiting for its present lock. Locked behind the agents that are concerned. */
  lock(id: ApprovalId): Effect.Effect<Approval, ApprovalNotFound>;
  /** The undecided hire of a draft, locked; null where there is none. */
  lockHireOf(agentId: AgentId): Effect.Effect<Approval | null>;
  /** Keeps what was asked for before a resubmit, and what came of it. */
  keepRound(approval: Approval): Effect.Effect<void>;
  insert(approval: Approval): Effect.Effect<void>;
  save(approval: Approval): Effect.Effect<void>;
  /** Links it; linking twice is the same as once. */
  link(companyId: CompanyId, id: ApprovalId, issueIds: readonly IssueId[], at: Instant): Effect.Effect<void>;
  /** False where it was not linked. */
  unlink(id: ApprovalId, issueId: IssueId): Effect.Effect<boolean>;
  /** First linked first. */
  linkedIssues(id: ApprovalId): Effect.Effect<readonly LinkedIssue[]>;
  /** What a run is about; null where it has no issue. */
  issueOfRun(runId: RunId): Effect.Effect<IssueId | null>;
  insertComment(comment: ApprovalComment): Effect.Effect<void>;
}
