import type * as Effect from "effect/Effect";
import type { AgentCaller, BoardCaller } from "../../core/model/access/caller.ts";
import type {
  Approval,
  ApprovalComment,
  ApprovalNotFound,
  ApprovalType,
  Round,
} from "../../core/model/approvals/approval.ts";
import type { StoredApprovalStatus } from "../../core/model/approvals/approval-status.ts";
import type { Grant, GrantNotFound } from "../../core/model/approvals/grant.ts";
import type { CompanyStatus } from "../../core/model/companies/company.ts";
import type {
  ApprovalCommentId,
  ApprovalId,
  CompanyId,
  GrantId,
  IssueId,
} from "../../core/model/shared/ids.ts";
import type { IssueView } from "./issue-views.ts";
import type { CursorInvalid, Page, PageRequest } from "./page.ts";

export type ApprovalView = Approval;

export type ApprovalDetail = Approval & {
  /** Every round, the current one last. */
  readonly history: readonly Round[];
};

/** An approval with the facts by which its reader decides it. */
export interface ApprovalInDetail {
  readonly approval: ApprovalDetail;
  readonly companyStatus: CompanyStatus;
  /** Those of the reader that are not revoked. */
  readonly grants: readonly Grant[];
}

/** Selects approvals: all given conditions must hold. */
export interface ApprovalFilter {
  readonly companyId: CompanyId;
  readonly statuses?: readonly StoredApprovalStatus[] | undefined;
  readonly types?: readonly ApprovalType[] | undefined;
}

export interface ApprovalViews {
  /** Newest first. */
  list(filter: ApprovalFilter, page: PageRequest): Effect.Effect<Page<ApprovalView>, CursorInvalid>;
  get(id: ApprovalId, caller: BoardCaller | AgentCaller): Effect.Effect<ApprovalInDetail, ApprovalNotFound>;
  /** Issues linked to it, last linked first. */
  issues(id: ApprovalId): Effect.Effect<readonly IssueView[]>;
  /** Approvals an issue is linked to, newest first. */
  ofIssue(issueId: IssueId, page: PageRequest): Effect.Effect<Page<ApprovalView>, CursorInvalid>;
  /** Oldest first. */
  comments(id: ApprovalId, page: PageRequest): Effect.Effect<Page<ApprovalComment>, CursorInvalid>;
  comment(id: ApprovalCommentId): Effect.Effect<ApprovalComment, ApprovalNotFound>;
  /** Newest first; includes revoked ones. */
  grants(companyId: CompanyId): Effect.Effect<readonly Grant[]>;
  grant(id: GrantId): Effect.Effect<Grant, GrantNotFound>;
}
