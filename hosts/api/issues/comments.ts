import { z } from "zod";
import { actions, refusalOfRole } from "../../../core/model/access/actions.ts";
import type { AgentCaller, BoardCaller } from "../../../core/model/access/caller.ts";
import { CommentDeleted, CommentNotFound } from "../../../core/model/issues/comments/comment.ts";
import { locationLimits, locationSides } from "../../../core/model/issues/comments/comment-location.ts";
import { InvalidStatusTransition, IssueNotFound } from "../../../core/model/issues/issue.ts";
import { ChangesUnavailable } from "../../../core/model/repositories/issue-changes.ts";
import { RepositoryNotFound } from "../../../core/model/repositories/repository.ts";
import { NotAllowed, ValidationFailed } from "../../../core/model/shared/failure.ts";
import type { CommentId, CompanyId, RepositoryId } from "../../../core/model/shared/ids.ts";
import { acting, inCompanyOf, verified } from "../endpoint/access.ts";
import { endpoint } from "../endpoint/endpoint.ts";
import { pageEndpoint } from "../endpoint/page-endpoint.ts";
import { NonBlank, reference, upTo } from "../endpoint/values.ts";
import { CommentRevisionShape, CommentShape, LineCommentShape, NamedCommentShape } from "./issue-shapes.ts";

const Line = z.number().int().min(1).max(10_000_000);

const isOwner = (caller: BoardCaller | AgentCaller, companyId: CompanyId): boolean =>
  refusalOfRole(actions.issue.changeComments, caller, companyId) === null;

/** The lines that a comment is about. */
const location = {
  path: upTo(5_000).min(1).optional().describe("Comment on lines of this file of the issue's changes."),
  line: Line.optional().describe("The line, from 1; with path."),
  endLine: Line.optional().describe(`The last of at most ${locationLimits.lines} lines. Default: line.`),
  side: z
    .enum(locationSides)
    .optional()
    .describe("old: a line of the text before the changes. Default: new."),
  commit: z
    .string()
    .regex(/^[0-9a-f]{40}$/, "must be the full id of a commit")
    .optional()
    .describe(
      "The commit that has the lines, of the issue's work. Default: its newest, or its base for old.",
    ),
  repositoryId: reference<RepositoryId>()
    .optional()
    .describe("Needed where the issue has work in several repositories."),
};

/** Comments that are stored together: all or none. */
export const SeveralComments = z
  .array(z.strictObject({ body: NonBlank.describe("Markdown."), ...location }))
  .max(100);

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
    run: ({ views }, { issueId, order, limit, cursor }) =>
      views.issues.comments(issueId, order, { limit, cursor }),
  }),
  comment: endpoint({
    method: "POST",
    path: "/api/issues/{issueId}/comments",
    summary: "Comment on an issue",
    description:
      "Wakes the assignee, unless it is the author, and every agent mentioned as `@name`, `@urlKey` or `[text](agent://<id>)`. A comment on lines has them as its `location`, also in what the agent reads.",
    access: acting("issue", "comment"),
    body: z.strictObject({
      body: NonBlank.describe("Markdown."),
      reopen: z.boolean().optional().describe("Reopen a closed issue; for the board only."),
      ...location,
    }),
    returns: CommentShape,
    status: 201,
    failures: [
      ChangesUnavailable,
      CommentNotFound,
      InvalidStatusTransition,
      IssueNotFound,
      NotAllowed,
      RepositoryNotFound,
      ValidationFailed,
    ],
    creates: { again: ({ views }, id) => views.issues.comment(id as CommentId) },
    run: ({ issues }, input, { by, newId }) => issues.comment({ ...input, id: newId<CommentId>(), by }),
  }),
  commentOnLines: endpoint({
    method: "POST",
    path: "/api/issues/{issueId}/line-comments",
    summary: "Comment on several lines of an issue's changes at once",
    description:
      "All comments are stored or none, and an agent that they wake starts once and reads them all. A comment without a path is about the issue. A verdict is given with them by a review. Answers with the first.",
    access: acting("issue", "comment"),
    body: z.strictObject({ comments: SeveralComments.min(1) }),
    returns: CommentShape,
    status: 201,
    failures: [ChangesUnavailable, CommentNotFound, IssueNotFound, RepositoryNotFound, ValidationFailed],
    creates: { again: ({ views }, id) => views.issues.comment(id as CommentId) },
    run: ({ issues }, { issueId, comments }, { by, newId }) =>
      issues.commentOnLines({ id: newId<CommentId>(), issueId, comments, by }),
  }),
  lineComments: pageEndpoint({
    path: "/api/issues/{issueId}/line-comments",
    summary: "List the comments on lines of an issue's changes",
    description: "Newest first, each with where its lines are in what `changes` shows now.",
    access: inCompanyOf("issue", "viewer"),
    limits: { default: 100, max: 200 },
    row: LineCommentShape,
    run: ({ issues }, input) => issues.lineComments(input),
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
    body: z.strictObject({ body: NonBlank.describe("Markdown.") }),
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
    access: verified(acting("issue", "comment")),
    returns: CommentShape,
    failures: [CommentNotFound, IssueNotFound, NotAllowed],
    run: ({ issues }, input, { caller, companyId, by }) =>
      issues.deleteComment({ ...input, by, isOwner: isOwner(caller, companyId) }),
  }),
};
