import type { AdapterRegistry } from "../../ports/adapter-registry.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Ids } from "../../ports/ids.ts";
import type { Transactor } from "../../ports/transactor.ts";
import { commentApproval } from "./comment-approval.ts";
import { decideApproval } from "./decide-approval.ts";
import { linkIssue } from "./link-issue.ts";
import { makeGrant } from "./make-grant.ts";
import { reportAuthority } from "./report-authority.ts";
import { requestApproval } from "./request-approval.ts";
import { requestHire } from "./request-hire.ts";
import { resubmitApproval } from "./resubmit-approval.ts";
import { revokeGrant } from "./revoke-grant.ts";
import { unlinkIssue } from "./unlink-issue.ts";

/** The use cases of approvals, and of the grants by which agents decide some. */
export const approvals = (transactor: Transactor, clock: Clock, ids: Ids, adapters: AdapterRegistry) => ({
  request: requestApproval(transactor, clock, ids, adapters),
  requestHire: requestHire(transactor, clock, ids, adapters),
  decide: decideApproval(transactor, clock, ids, adapters),
  reportAuthority: reportAuthority(transactor),
  resubmit: resubmitApproval(transactor, clock, ids, adapters),
  comment: commentApproval(transactor, clock),
  linkIssue: linkIssue(transactor, clock),
  unlinkIssue: unlinkIssue(transactor, clock),
  makeGrant: makeGrant(transactor, clock),
  revokeGrant: revokeGrant(transactor, clock),
});

export type Approvals = ReturnType<typeof approvals>;
