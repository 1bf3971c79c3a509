import type { Views } from "../../../ports/views.ts";
import type { UseCaseContext } from "../../access/unit-of-work.ts";
import { attachments } from "./attachments/index.ts";
import { checkoutIssue } from "./checkout-issue.ts";
import { addComment } from "./comments/add-comment.ts";
import { commentOnLines } from "./comments/comment-on-lines.ts";
import { deleteComment } from "./comments/delete-comment.ts";
import { editComment } from "./comments/edit-comment.ts";
import type { LineComments } from "./comments/line-comments.ts";
import { createIssue } from "./create-issue.ts";
import { documents } from "./documents/index.ts";
import { applyVerdicts } from "./gates/apply-verdicts.ts";
import { rerunGates } from "./gates/rerun-gates.ts";
import { reviewIssue } from "./gates/review-issue.ts";
import { setIssueGates } from "./gates/set-issue-gates.ts";
import { showGates } from "./gates/show-gates.ts";
import { interactions } from "./interactions/index.ts";
import { releaseIssue } from "./release-issue.ts";
import { showIssue } from "./show-issue.ts";
import { updateIssue } from "./update-issue.ts";
import { updateIssues } from "./update-issues.ts";
import { unwatchIssue } from "./watchers/unwatch-issue.ts";
import { watchIssue } from "./watchers/watch-issue.ts";

/** The use cases of issues. */
export const issues = (context: UseCaseContext, views: Views, lines: LineComments) => ({
  show: showIssue(context, views.issues),
  create: createIssue(context),
  update: updateIssue(context),
  updateMany: updateIssues(context),
  checkout: checkoutIssue(context),
  release: releaseIssue(context),
  attachments: attachments(context),
  comment: addComment(context, lines),
  commentOnLines: commentOnLines(context, lines),
  editComment: editComment(context),
  deleteComment: deleteComment(context),
  lineComments: lines.list,
  documents: documents(context, views),
  watch: watchIssue(context),
  unwatch: unwatchIssue(context),
  gates: showGates(context),
  setGates: setIssueGates(context),
  review: reviewIssue(context, lines),
  rerunGates: rerunGates(context),
  applyVerdicts: applyVerdicts(context),
  interactions: interactions(context),
});

export type Issues = ReturnType<typeof issues>;
