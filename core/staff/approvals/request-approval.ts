import * as Effect from "effect/Effect";
import type { AdapterRegistry } from "../../../ports/adapter-registry.ts";
import type { Runners } from "../../../ports/runners.ts";
import { type UnitOfWork, useCase } from "../../access/unit-of-work.ts";
import type { Actor } from "../../model/access/caller.ts";
import { refuseLoaderVariables } from "../../model/agents/loader-variables.ts";
import { notTerminated } from "../../model/agents/named-agent.ts";
import type { GrantedPath } from "../../model/agents/named-paths.ts";
import type { Question } from "../../model/approvals/approval.ts";
import { NotAllowed } from "../../model/shared/failure.ts";
import type { AgentId, ApprovalId, CompanyId, IssueId } from "../../model/shared/ids.ts";
import { refuseRunnerOf } from "../agents/choose-runner.ts";
import { type AgentProposal, checkedConfig } from "../agents/create-agent.ts";
import { recordApproval } from "./record-approval.ts";

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
export const requestApproval = (adapters: AdapterRegistry, runners: Runners) =>
  useCase("approvals.request", function* (unit, command: RequestApproval) {
    const { companyId } = command;
    const asked = command.requestedByAgentId ?? null;
    if (unit.by.kind === "agent" && asked !== null && asked !== unit.by.agentId)
      yield* Effect.fail(
        new NotAllowed({ path: ["requestedByAgentId"] }, "Agents can make requests only for themselves."),
      );
    const requester = unit.by.kind === "agent" ? unit.by.agentId : asked;
    if (requester !== null) {
      const agent = yield* unit.agents.findInCompany(requester, companyId);
      yield* Effect.fromResult(notTerminated(agent, "requestedByAgentId"));
    }
    const { question, grantedPaths } = yield* questionOf(unit, adapters, runners, command);
    return yield* recordApproval(unit, question, {
      grantedPaths,
      ...command,
      agentId: null,
      requestedByAgentId: requester,
    });
  });

/** Returns the payload of the request. Checks a hire as if it were carried out now; approval creates its agent. */
const questionOf = Effect.fnUntraced(function* (
  unit: UnitOfWork,
  adapters: AdapterRegistry,
  runners: Runners,
  command: RequestApproval,
) {
  switch (command.type) {
    case "approve_ceo_strategy":
      return asked({ type: command.type, payload: command.payload });
    case "ownership_decision":
      return asked({ type: command.type, payload: command.payload });
    case "hire_agent": {
      yield* Effect.fromResult(refuseLoaderVariables(unit.by, command.payload.adapterConfig));
      yield* refuseRunnerOf(unit.by, command.payload.runtimeConfig);
      const agent = { id: unit.newId<"agent">(), companyId: command.companyId };
      const proposal = { ...command.payload, by: unit.by };
      const { config, grantedPaths } = yield* checkedConfig(unit, adapters, runners, agent, proposal);
      return asked({ type: command.type, payload: config }, grantedPaths);
    }
  }
});

const asked = (question: Question, grantedPaths: readonly GrantedPath[] = []) => ({ question, grantedPaths });
