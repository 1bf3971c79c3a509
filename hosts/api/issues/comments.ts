import { z } from "zod";
import { actions, refusalOfRole } from "../../../core/access/actions.ts";
import type { AgentCaller, BoardCaller } from "../../../core/access/caller.ts";
import { CommentDeleted, CommentNotFound } from "../../../core/issues/comments/comment.ts";
import { InvalidStatusTransition, IssueNotFound } from "../../../core/issues/issue.ts";
import { NotAllowed } from "../../../core/shared/failure.ts";
import type { CommentId, CompanyId } from "../../../core/shared/ids.ts";
import { acting, inCompanyOf } from "../endpoint/access.ts";
import { endpoint } from "../endpoint/endpoint.ts";
import { pageEndpoint } from "../endpoint/page-endpoint.ts";
import { Said } from "../endpoint/values.ts";
import { CommentRevisionShape, CommentShape, NamedCommentShape } from "./issue-shapes.ts";

const isOwner = (caller: BoardCaller | AgentCaller, companyId: CompanyId): boolean =>
  refusalOfRole(actions.issue.changeComments, caller, companyId) === null;

/** The endpoints of comments, which belong to those of issues. */
export const comments = {
  comments: pageEndpoint({
    path: "/api/issues/{issueId}/comments",
    summary: "List the comments of an issue",
    description: "Newest first, unless `order` is asc.",
    access: inCompanyOf("issue", "viewer"),
    query: { order: z.enum(["asc", "desc"]).default("desc").describe("desc: newest first.") },
    limits: { default: 100, max: 500 },
    row: NamedCommentShape,
    failures: [],
    run: ({ views }, { issueId, order, limit, cursor }) =>
      views.issues.comments(issueId, order, { limit, cursor }),
  }),
  comment: endpoint({
    method: "POST",
    path: "/api/issues/{issueId}/comments",
    summary: "Comment on an issue",
    description:
      "Wakes the assignee, unless it is the author, and every agent mentioned as `@name`, `@urlKey` or `[text](agent://<id>)`.",
    access: acting("issue", "comment"),
    body: z.strictObject({
      body: Said.describe("Markdown."),
      reopen: z.boolean().optional().describe("Reopen a closed issue; for the board only."),
    }),
    returns: CommentShape,
    status: 201,
    failures: [CommentNotFound, InvalidStatusTransition, IssueNotFound, NotAllowed],
    creates: { again: ({ views }, id) => views.issues.comment(id as CommentId) },
    run: ({ issues }, input, { by, newId }) => issues.comment({ ...input, id: newId<CommentId>(), by }),
  }),
  commentRevisions: pageEndpoint({
    path: "/api/issues/{issueId}/comments/{commentId}/revisions",
    summary: "List what a comment said before it was edited",
    description: "Newest first. A deleted comment has none.",
    access: inCompanyOf("issue", "viewer"),
    limits: { default: 100, max: 500 },
    row: CommentRevisionShape,
    failures: [CommentNotFound],
    run: ({ views }, { issueId, commentId, limit, cursor }) =>
      views.issues.commentRevisions(issueId, commentId, { limit, cursor }),
  }),
  updateComment: endpoint({
    method: "PATCH",
    path: "/api/issues/{issueId}/comments/{commentId}",
    summary: "Edit a comment",
    description:
      "For its author and owners of the company. The former text is kept until the comment is deleted; no agent is woken.",
    access: acting("issue", "comment"),
    body: z.strictObject({ body: Said.describe("Markdown.") }),
    returns: CommentShape,
    failures: [CommentDeleted, CommentNotFound, IssueNotFound, NotAllowed],
    run: ({ issues }, input, { caller, companyId, by }) =>
      issues.editComment({ ...input, by, isOwner: isOwner(caller, companyId) }),
  }),
  deleteComment: endpoint({
    method: "DELETE",
    path: "/api/issues/{issueId}/comments/{commentId}",
    summary: "Delete a comment",
    description:
      "For its author and owners of the company; cannot be undone. It stays in the list without its text, which also leaves its history, the search and the activity log.",
    access: acting("issue", "comment"),
    returns: CommentShape,
    failures: [CommentNotFound, IssueNotFound, NotAllowed],
    run: ({ issues }, input, { caller, companyId, by }) =>
      issues.deleteComment({ ...input, by, isOwner: isOwner(caller, companyId) }),
  }),
};
