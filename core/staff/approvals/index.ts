import type { AdapterRegistry } from "../../../ports/adapter-registry.ts";
import type { Runners } from "../../../ports/runners.ts";
import type { Views } from "../../../ports/views.ts";
import type { UseCaseContext } from "../../access/unit-of-work.ts";
import { commentApproval } from "./comment-approval.ts";
import { decideApproval } from "./decide-approval.ts";
import { linkIssue } from "./link-issue.ts";
import { makeGrant } from "./make-grant.ts";
import { reportAuthority } from "./report-authority.ts";
import { requestApproval } from "./request-approval.ts";
import { requestHire } from "./request-hire.ts";
import { resubmitApproval } from "./resubmit-approval.ts";
import { revokeGrant } from "./revoke-grant.ts";
import { showApproval } from "./show-approval.ts";
import { unlinkIssue } from "./unlink-issue.ts";

/** The use cases of approvals, and of the grants by which agents decide some. */
export const approvals = (
  context: UseCaseContext,
  adapters: AdapterRegistry,
  runners: Runners,
  views: Views,
) => ({
  show: showApproval(context, views.approvals, adapters, runners),
  request: requestApproval(adapters, runners)(context),
  requestHire: requestHire(adapters, runners)(context),
  decide: decideApproval(adapters, runners)(context),
  reportAuthority: reportAuthority(adapters, runners)(context),
  resubmit: resubmitApproval(adapters, runners)(context),
  comment: commentApproval(context),
  linkIssue: linkIssue(context),
  unlinkIssue: unlinkIssue(context),
  makeGrant: makeGrant(context),
  revokeGrant: revokeGrant(context),
});

export type Approvals = ReturnType<typeof approvals>;
