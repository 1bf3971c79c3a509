import * as Effect from "effect/Effect";
import type { AdapterRegistry } from "../../../ports/adapter-registry.ts";
import type { Runners } from "../../../ports/runners.ts";
import { useCase } from "../../access/unit-of-work.ts";
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
export const requestHire = (adapters: AdapterRegistry, runners: Runners) =>
  useCase(
    "approvals.requestHire",
    function* (unit, { id, companyId, by, issueIds, ...proposal }: RequestHire) {
      yield* Effect.fromResult(refuseLoaderVariables(by, proposal.adapterConfig));
      yield* refuseRunnerOf(by, proposal.runtimeConfig);
      const agentId = unit.newId<"agent">();
      const { config, grantedPaths } = yield* checkedConfig(
        unit,
        adapters,
        runners,
        { id: agentId, companyId },
        {
          ...proposal,
          by,
        },
      );
      const draft = newDraft({ ...config, grantedPaths, id: agentId, companyId, at: unit.at });
      yield* unit.agents.insert(draft);
      yield* unit.log(
        "agent.hire_requested",
        { companyId, id: agentId },
        { name: config.name, role: config.role, approvalId: id },
      );
      const question: Question = { type: "hire_agent", payload: config };
      const approval = yield* recordApproval(unit, question, {
        id,
        companyId,
        agentId,
        grantedPaths,
        requestedByAgentId: actingAgent(by),
        issueIds,
      });
      return { agentId, approvalId: approval.id };
    },
  );
