import * as Effect from "effect/Effect";
import { requireRoom } from "../../access/require-room.ts";
import type { UnitOfWork } from "../../access/unit-of-work.ts";
import { actingUser } from "../../model/access/caller.ts";
import type { GrantedPath } from "../../model/agents/named-paths.ts";
import type { Approval, Question } from "../../model/approvals/approval.ts";
import { proposedVariables } from "../../model/approvals/proposed-values.ts";
import { ReferenceNotFound } from "../../model/shared/failure.ts";
import type { AgentId, ApprovalId, CompanyId, IssueId } from "../../model/shared/ids.ts";

interface Request {
  readonly id: ApprovalId;
  readonly companyId: CompanyId;
  readonly agentId: AgentId | null;
  readonly requestedByAgentId: AgentId | null;
  readonly issueIds?: readonly IssueId[] | undefined;
  /** Of a hire. */
  readonly grantedPaths?: readonly GrantedPath[];
}

/**
 * Stores a pending approval with its links to issues. By default links the issue of the caller's run.
 */
export const recordApproval = Effect.fnUntraced(function* (
  unit: UnitOfWork,
  question: Question,
  request: Request,
) {
  const { id, companyId } = request;
  const { by } = unit;
  if (by.kind === "agent") yield* requireRoom(unit, "openApprovals", companyId, by.agentId);
  const issueIds = [...new Set(request.issueIds ?? (yield* ownIssue(unit)))];
  if ((yield* unit.issues.existing(issueIds, companyId)).length < issueIds.length)
    yield* Effect.fail(ReferenceNotFound.at("issueIds"));
  const approval: Approval = {
    id,
    companyId,
    ...question,
    status: "pending",
    payloadRevision: 1,
    proposedVariables:
      question.type === "hire_agent" ? proposedVariables(question.payload.adapterConfig, unit.by) : [],
    grantedPaths: request.grantedPaths ?? [],
    agentId: request.agentId,
    requestedByAgentId: request.requestedByAgentId,
    requestedByUserId: actingUser(unit.by),
    decisionNote: null,
    chosenOwner: null,
    offListReason: null,
    decidedByAgentId: null,
    decidedByUserId: null,
    decidedAt: null,
    createdAt: unit.at,
    updatedAt: unit.at,
  };
  yield* unit.approvals.insert(approval);
  if (issueIds.length > 0) yield* unit.approvals.link(companyId, id, issueIds, unit.at);
  yield* unit.log("approval.created", { companyId, id }, { type: question.type });
  return approval;
});

const ownIssue = Effect.fnUntraced(function* ({ by, approvals }: UnitOfWork) {
  if (by.kind !== "agent" || by.runId === null) return [];
  const issueId = yield* approvals.issueOfRun(by.runId);
  return issueId === null ? [] : [issueId];
});
