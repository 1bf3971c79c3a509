import * as Effect from "effect/Effect";
import type { AdapterRegistry } from "../../ports/adapter-registry.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Ids } from "../../ports/ids.ts";
import type { Stores, Transactor } from "../../ports/transactor.ts";
import { type Actor, actingAgent, actingUser } from "../access/caller.ts";
import { transactAs } from "../access/transact-as.ts";
import { newDraft } from "../agents/agent.ts";
import { type AgentProposal, checkedConfig } from "../agents/create-agent.ts";
import { refuseLoaderVariables } from "../agents/loader-variables.ts";
import { notTerminated } from "../agents/named-agent.ts";
import { NotAllowed, ReferenceNotFound } from "../shared/failure.ts";
import type { AgentId, ApprovalId, CompanyId, IssueId } from "../shared/ids.ts";
import type { Instant } from "../shared/instant.ts";
import type { Approval, Question } from "./approval.ts";
import { proposedVariables } from "./proposed-values.ts";

/** The payload of a request, by type; missing fields of a hire take their defaults. */
export type Proposal =
  | Exclude<Question, { type: "hire_agent" }>
  | { readonly type: "hire_agent"; readonly payload: AgentProposal };

export type RequestApproval = Proposal & {
  readonly id: ApprovalId;
  readonly companyId: CompanyId;
  readonly by: Actor;
  /** The agent for which the board requests; an agent requests for itself. */
  readonly requestedByAgentId?: AgentId | null | undefined;
  /** Default: the issue of the caller's run. */
  readonly issueIds?: readonly IssueId[] | undefined;
};

/** Requests a decision of the board. A hire requested here creates its agent at approval. */
export const requestApproval =
  (transactor: Transactor, clock: Clock, ids: Ids, adapters: AdapterRegistry) => (command: RequestApproval) =>
    transactAs(transactor, command.by, (stores) =>
      Effect.gen(function* () {
        const { by, companyId } = command;
        const asked = command.requestedByAgentId ?? null;
        if (by.kind === "agent" && asked !== null && asked !== by.agentId)
          yield* Effect.fail(
            new NotAllowed({ path: ["requestedByAgentId"] }, "An agent asks only for itself."),
          );
        const requester = by.kind === "agent" ? by.agentId : asked;
        if (requester !== null) {
          const agent = yield* stores.agents.findInCompany(requester, companyId);
          yield* Effect.fromResult(notTerminated(agent, "requestedByAgentId"));
        }
        const question = yield* questionOf(stores, ids, adapters, command);
        return yield* recordApproval(stores, question, {
          ...command,
          agentId: null,
          requestedByAgentId: requester,
          at: clock.now(),
        });
      }),
    );

/** Returns the payload of the request. Checks a hire as if it were carried out now; approval creates its agent. */
const questionOf = Effect.fnUntraced(function* (
  stores: Stores,
  ids: Ids,
  adapters: AdapterRegistry,
  command: RequestApproval,
) {
  switch (command.type) {
    case "approve_ceo_strategy":
      return { type: command.type, payload: command.payload } satisfies Question;
    case "ownership_decision":
      return { type: command.type, payload: command.payload } satisfies Question;
    case "hire_agent": {
      yield* Effect.fromResult(refuseLoaderVariables(command.by, command.payload.adapterConfig));
      const agentId = ids.next<"agent">();
      const payload = yield* checkedConfig(stores, adapters, command.companyId, agentId, command.payload);
      return { type: command.type, payload } satisfies Question;
    }
  }
});

export interface RequestHire extends AgentProposal {
  readonly id: ApprovalId;
  readonly companyId: CompanyId;
  readonly by: Actor;
  readonly issueIds?: readonly IssueId[] | undefined;
}

/** Proposes a new agent: creates a draft that nothing wakes or changes, with the approval that decides about it. */
export const requestHire =
  (transactor: Transactor, clock: Clock, ids: Ids, adapters: AdapterRegistry) =>
  ({ id, companyId, by, issueIds, ...proposal }: RequestHire) =>
    transactAs(transactor, by, (stores) =>
      Effect.gen(function* () {
        yield* Effect.fromResult(refuseLoaderVariables(by, proposal.adapterConfig));
        const agentId = ids.next<"agent">();
        const config = yield* checkedConfig(stores, adapters, companyId, agentId, proposal);
        const at = clock.now();
        const draft = newDraft({ ...config, id: agentId, companyId, at });
        yield* stores.agents.insert(draft);
        yield* stores.activity.append({
          companyId,
          by,
          at,
          action: "agent.hire_requested",
          entityId: agentId,
          details: { name: config.name, role: config.role, approvalId: id },
        });
        const question: Question = { type: "hire_agent", payload: config };
        const approval = yield* recordApproval(stores, question, {
          id,
          companyId,
          by,
          agentId,
          requestedByAgentId: actingAgent(by),
          issueIds,
          at,
        });
        return { agentId, approvalId: approval.id };
      }),
    );

interface Request {
  readonly id: ApprovalId;
  readonly companyId: CompanyId;
  readonly by: Actor;
  readonly agentId: AgentId | null;
  readonly requestedByAgentId: AgentId | null;
  readonly issueIds?: readonly IssueId[] | undefined;
  readonly at: Instant;
}

const recordApproval = Effect.fnUntraced(function* (stores: Stores, question: Question, request: Request) {
  const { id, companyId, by, at } = request;
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
  yield* stores.activity.append({
    companyId,
    by,
    at,
    action: "approval.created",
    entityId: id,
    details: { type: question.type },
  });
  return approval;
});

const ownIssue = Effect.fnUntraced(function* (stores: Stores, by: Actor) {
  if (by.kind !== "agent" || by.runId === null) return [];
  const issueId = yield* stores.approvals.issueOfRun(by.runId);
  return issueId === null ? [] : [issueId];
});
