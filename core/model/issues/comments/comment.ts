import * as Result from "effect/Result";
import { type Actor, actingAgent, actingRun, actingUser } from "../../access/caller.ts";
import { NotAllowed, refusal } from "../../shared/failure.ts";
import type { AgentId, CommentId, CompanyId, IssueId, RunId, UserId } from "../../shared/ids.ts";
import type { Instant } from "../../shared/instant.ts";
import type { Issue } from "../issue.ts";
import type { CommentLocation } from "./comment-location.ts";

export class CommentNotFound extends refusal("comment_not_found", "not_found", "Comment not found.") {}

export class CommentDeleted extends refusal(
  "comment_deleted",
  "conflict",
  "This comment has been deleted.",
) {}

export interface Comment {
  readonly id: CommentId;
  readonly companyId: CompanyId;
  readonly issueId: IssueId;
  /** Markdown; empty once it is deleted. */
  readonly body: string;
  readonly authorAgentId: AgentId | null;
  readonly authorUserId: UserId | null;
  readonly createdByRunId: RunId | null;
  /** The lines on which it was written; null: on the issue. */
  readonly location: CommentLocation | null;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
  /** When it was last edited. */
  readonly editedAt: Instant | null;
  readonly deletedAt: Instant | null;
}

/** Makes a new comment; one by the system has no author. */
export const newComment = (
  issue: Pick<Issue, "id" | "companyId">,
  given: Pick<Comment, "id" | "body"> & { readonly location?: CommentLocation | null | undefined },
  by: Actor,
  at: Instant,
): Comment => ({
  id: given.id,
  companyId: issue.companyId,
  issueId: issue.id,
  body: given.body,
  authorAgentId: actingAgent(by),
  authorUserId: actingUser(by),
  createdByRunId: actingRun(by),
  location: given.location ?? null,
  createdAt: at,
  updatedAt: at,
  editedAt: null,
  deletedAt: null,
});

/** Refuses all but its author and owners of its company. */
export const mayChangeComment = (
  comment: Comment,
  by: Actor,
  isOwner: boolean,
): Result.Result<Comment, NotAllowed> => {
  const author = comment.authorAgentId ?? comment.authorUserId;
  const isAuthor = author !== null && author === (actingAgent(by) ?? actingUser(by));
  return isAuthor || isOwner
    ? Result.succeed(comment)
    : Result.fail(new NotAllowed(undefined, "Only the author and company owners can change a comment."));
};
