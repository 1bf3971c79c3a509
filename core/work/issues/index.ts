import type { Clock } from "../../../ports/clock.ts";
import type { CodeStores } from "../../../ports/code-stores.ts";
import type { Ids } from "../../../ports/ids.ts";
import type { Transactor } from "../../../ports/transactor.ts";
import type { Views } from "../../../ports/views.ts";
import { attachments } from "./attachments/index.ts";
import { checkoutIssue } from "./checkout-issue.ts";
import { addComment } from "./comments/add-comment.ts";
import { deleteComment } from "./comments/delete-comment.ts";
import { editComment } from "./comments/edit-comment.ts";
import { lineComments } from "./comments/line-comments.ts";
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
export const issues = (
  transactor: Transactor,
  clock: Clock,
  ids: Ids,
  views: Views,
  codeStores: CodeStores,
) => ({
  show: showIssue(transactor, views.issues),
  create: createIssue(transactor, clock, ids),
  update: updateIssue(transactor, clock, ids),
  updateMany: updateIssues(transactor, clock, ids),
  checkout: checkoutIssue(transactor, clock, ids),
  release: releaseIssue(transactor, clock, ids),
  attachments: attachments(transactor, clock, ids),
  comment: addComment(transactor, clock, ids, codeStores),
  editComment: editComment(transactor, clock, ids),
  deleteComment: deleteComment(transactor, clock),
  lineComments: lineComments(transactor, codeStores, views),
  documents: documents(transactor, clock, ids, views),
  watch: watchIssue(transactor, clock),
  unwatch: unwatchIssue(transactor),
  gates: showGates(transactor),
  setGates: setIssueGates(transactor, clock),
  review: reviewIssue(transactor, clock),
  rerunGates: rerunGates(transactor, clock),
  applyVerdicts: applyVerdicts(transactor, clock, ids),
  interactions: interactions(transactor, clock, ids),
});

export type Issues = ReturnType<typeof issues>;
