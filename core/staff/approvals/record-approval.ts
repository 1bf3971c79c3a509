import * as Effect from "effect/Effect";
import type { Stores } from "../../../ports/transactor.ts";
import { logAction } from "../../access/log-action.ts";
import { type Actor, actingUser } from "../../model/access/caller.ts";
import type { GrantedPath } from "../../model/agents/named-paths.ts";
import {
  type Approval,
  mostOpenApprovals,
  type Question,
  TooManyOpenApprovals,
} from "../../model/approvals/approval.ts";
import { proposedVariables } from "../../model/approvals/proposed-values.ts";
import { ReferenceNotFound } from "../../model/shared/failure.ts";
import type { AgentId, ApprovalId, CompanyId, IssueId } from "../../model/shared/ids.ts";
import type { Instant } from "../../model/shared/instant.ts";

interface Request {
  readonly id: ApprovalId;
  readonly companyId: CompanyId;
  readonly by: Actor;
  readonly agentId: AgentId | null;
  readonly requestedByAgentId: AgentId | null;
  readonly issueIds?: readonly IssueId[] | undefined;
  /** Of a hire. */
  readonly grantedPaths?: readonly GrantedPath[];
  readonly at: Instant;
}

/**
 * Stores a pending approval with its links to issues. By default links the issue of the caller's run. An agent has a
 * bounded number of them; requests at the same moment may exceed it by their number.
 */
export const recordApproval = Effect.fnUntraced(function* (
  stores: Stores,
  question: Question,
  request: Request,
) {
  const { id, companyId, by, at } = request;
  if (by.kind === "agent" && (yield* stores.approvals.countOpen(companyId, by.agentId)) >= mostOpenApprovals)
    yield* Effect.fail(new TooManyOpenApprovals());
  const issueIds = [...new Set(request.issueIds ?? (yield* ownIssue(stores, by)))];
  if ((yield* stores.issues.existing(issueIds, companyId)).length < issueIds.length)
    yield* Effect.fail(ReferenceNotFound.at("issueIds"));
  const approval: Approval = {
    id,
    companyId,
    ...question,
    status: "pending",
    payloadRevision: 1,
    proposedVariables:
      question.type === "hire_agent" ? proposedVariables(question.payload.adapterConfig, by) : [],
    grantedPaths: request.grantedPaths ?? [],
    agentId: request.agentId,
    requestedByAgentId: request.requestedByAgentId,
    requestedByUserId: actingUser(by),
    decisionNote: null,
    chosenOwner: null,
    offListReason: null,
    decidedByAgentId: null,
    decidedByUserId: null,
    decidedAt: null,
    createdAt: at,
    updatedAt: at,
  };
  yield* stores.approvals.insert(approval);
  if (issueIds.length > 0) yield* stores.approvals.link(companyId, id, issueIds, at);
  yield* logAction(stores, { companyId, id }, by, at, "approval.created", { type: question.type });
  return approval;
});

const ownIssue = Effect.fnUntraced(function* (stores: Stores, by: Actor) {
  if (by.kind !== "agent" || by.runId === null) return [];
  const issueId = yield* stores.approvals.issueOfRun(by.runId);
  return issueId === null ? [] : [issueId];
});
