import * as Effect from "effect/Effect";
import { z } from "zod";
import { ApprovalNotFound } from "../../../core/model/approvals/approval.ts";
import { IssueNotFound } from "../../../core/model/issues/issue.ts";
import { TooManyRecords } from "../../../core/model/shared/bounds.ts";
import { ReferenceNotFound } from "../../../core/model/shared/failure.ts";
import type { ApprovalCommentId, ApprovalId } from "../../../core/model/shared/ids.ts";
import { acting, inCompanyOf } from "../endpoint/access.ts";
import { endpoint } from "../endpoint/endpoint.ts";
import { pageEndpoint } from "../endpoint/page-endpoint.ts";
import { Done, NonBlank, reference } from "../endpoint/values.ts";
import { IssueShape } from "../issues/issue-shapes.ts";
import { presentIssue } from "../issues/issues.ts";
import { ApprovalCommentShape, ApprovalDetailShape, ApprovalShape } from "./approval-shapes.ts";

const ApprovalReference = reference<ApprovalId>();

/** The issues that an approval is linked to, and its comments. */
export const approvalRelations = {
  issues: endpoint({
    method: "GET",
    path: "/api/approvals/{approvalId}/issues",
    summary: "List the issues linked to an approval",
    description: "Latest link first.",
    access: inCompanyOf("approval", "viewer"),
    returns: z.array(IssueShape).readonly(),
    run: ({ views }, { approvalId }) =>
      Effect.map(views.approvals.issues(approvalId), (issues) => issues.map(presentIssue)),
  }),
  comments: pageEndpoint({
    path: "/api/approvals/{approvalId}/comments",
    summary: "List the comments on an approval",
    description: "Oldest first.",
    access: inCompanyOf("approval", "viewer"),
    limits: { default: 100, max: 500 },
    row: ApprovalCommentShape,
    run: ({ views }, { approvalId, limit, cursor }) =>
      views.approvals.comments(approvalId, { limit, cursor }),
  }),
  comment: endpoint({
    method: "POST",
    path: "/api/approvals/{approvalId}/comments",
    summary: "Comment on an approval",
    description: "Changes no status and wakes no agent: request a revision to have the payload changed.",
    access: acting("approval", "comment"),
    body: z.strictObject({ body: NonBlank.describe("Markdown.") }),
    returns: ApprovalCommentShape,
    status: 201,
    failures: [ApprovalNotFound],
    creates: {
      again: ({ views }, id) => views.approvals.comment(id as ApprovalCommentId).pipe(Effect.orDie),
    },
    run: ({ approvals }, { approvalId, body }, { by, newId }) =>
      approvals.comment({ id: newId<ApprovalCommentId>(), approvalId, body, by }),
  }),
  ofIssue: pageEndpoint({
    path: "/api/issues/{issueId}/approvals",
    summary: "List the approvals an issue is linked to",
    description: "Newest first.",
    access: inCompanyOf("issue", "viewer"),
    limits: { default: 100, max: 500 },
    row: ApprovalShape,
    run: ({ views }, { issueId, limit, cursor }) => views.approvals.ofIssue(issueId, { limit, cursor }),
  }),
  link: endpoint({
    method: "POST",
    path: "/api/issues/{issueId}/approvals",
    summary: "Link an issue to an approval",
    description: "Idempotent.",
    access: acting("issue", "linkApproval"),
    body: z.strictObject({ approvalId: ApprovalReference }),
    returns: ApprovalDetailShape,
    status: 201,
    failures: [ApprovalNotFound, IssueNotFound, ReferenceNotFound, TooManyRecords],
    run: ({ approvals }, { issueId, approvalId }, { by, caller, companyId }) =>
      approvals
        .linkIssue({ issueId, approvalId, companyId, by })
        .pipe(Effect.flatMap(({ id }) => approvals.show(id, caller))),
  }),
  unlink: endpoint({
    method: "DELETE",
    path: "/api/issues/{issueId}/approvals/{approvalId}",
    summary: "Unlink an issue from an approval",
    description: "The approval and the issue stay. Does nothing if they were not linked.",
    access: acting("issue", "linkApproval"),
    returns: Done,
    failures: [ApprovalNotFound, IssueNotFound],
    run: ({ approvals }, { issueId, approvalId }, { by, companyId }) =>
      approvals.unlinkIssue({ issueId, approvalId, companyId, by }),
  }),
};
