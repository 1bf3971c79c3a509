import * as Effect from "effect/Effect";
import type { AdapterRegistry } from "../../../ports/adapter-registry.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { Ids } from "../../../ports/ids.ts";
import type { Runners } from "../../../ports/runners.ts";
import type { Transactor } from "../../../ports/transactor.ts";
import { logAction } from "../../access/log-action.ts";
import { transactAs } from "../../access/transact-as.ts";
import { type Actor, actingAgent } from "../../model/access/caller.ts";
import { newDraft } from "../../model/agents/agent.ts";
import { refuseLoaderVariables } from "../../model/agents/loader-variables.ts";
import type { Question } from "../../model/approvals/approval.ts";
import type { ApprovalId, CompanyId, IssueId } from "../../model/shared/ids.ts";
import { refuseRunnerOf } from "../agents/choose-runner.ts";
import { type AgentProposal, checkedConfig } from "../agents/create-agent.ts";
import { recordApproval } from "./record-approval.ts";

export interface RequestHire extends AgentProposal {
  readonly id: ApprovalId;
  readonly companyId: CompanyId;
  readonly by: Actor;
  readonly issueIds?: readonly IssueId[] | undefined;
}

/** Proposes a new agent: creates a draft that nothing wakes or changes, with the approval that decides about it. */
export const requestHire =
  (transactor: Transactor, clock: Clock, ids: Ids, adapters: AdapterRegistry, runners: Runners) =>
  ({ id, companyId, by, issueIds, ...proposal }: RequestHire) =>
    transactAs(transactor, by, function* (stores) {
      yield* Effect.fromResult(refuseLoaderVariables(by, proposal.adapterConfig));
      yield* refuseRunnerOf(by, proposal.runtimeConfig);
      const agentId = ids.next<"agent">();
      const { config, grantedPaths } = yield* checkedConfig(stores, adapters, runners, companyId, agentId, {
        ...proposal,
        by,
      });
      const at = clock.now();
      const draft = newDraft({ ...config, grantedPaths, id: agentId, companyId, at });
      yield* stores.agents.insert(draft);
      yield* logAction(stores, { companyId, id: agentId }, by, at, "agent.hire_requested", {
        name: config.name,
        role: config.role,
        approvalId: id,
      });
      const question: Question = { type: "hire_agent", payload: config };
      const approval = yield* recordApproval(stores, question, {
        id,
        companyId,
        by,
        agentId,
        grantedPaths,
        requestedByAgentId: actingAgent(by),
        issueIds,
        at,
      });
      return { agentId, approvalId: approval.id };
    });
