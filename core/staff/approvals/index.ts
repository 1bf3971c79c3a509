import type { AdapterRegistry } from "../../../ports/adapter-registry.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { Ids } from "../../../ports/ids.ts";
import type { Runners } from "../../../ports/runners.ts";
import type { Transactor } from "../../../ports/transactor.ts";
import type { Views } from "../../../ports/views.ts";
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
  transactor: Transactor,
  clock: Clock,
  ids: Ids,
  adapters: AdapterRegistry,
  runners: Runners,
  views: Views,
) => ({
  show: showApproval(transactor, views.approvals, ids, adapters, runners),
  request: requestApproval(transactor, clock, ids, adapters, runners),
  requestHire: requestHire(transactor, clock, ids, adapters, runners),
  decide: decideApproval(transactor, clock, ids, adapters, runners),
  reportAuthority: reportAuthority(transactor, ids, adapters, runners),
  resubmit: resubmitApproval(transactor, clock, ids, adapters, runners),
  comment: commentApproval(transactor, clock),
  linkIssue: linkIssue(transactor, clock),
  unlinkIssue: unlinkIssue(transactor, clock),
  makeGrant: makeGrant(transactor, clock),
  revokeGrant: revokeGrant(transactor, clock),
});

export type Approvals = ReturnType<typeof approvals>;
