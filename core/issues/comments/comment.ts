import { refusal } from "../../shared/failure.ts";
import type { AgentId, CommentId, CompanyId, IssueId, RunId, UserId } from "../../shared/ids.ts";
import type { Instant } from "../../shared/instant.ts";

export class CommentNotFound extends refusal("comment_not_found", "not_found", "There is no such comment.") {}

export interface Comment {
  readonly id: CommentId;
  readonly companyId: CompanyId;
  readonly issueId: IssueId;
  /** Markdown. */
  readonly body: string;
  readonly authorAgentId: AgentId | null;
  readonly authorUserId: UserId | null;
  readonly createdByRunId: RunId | null;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}
