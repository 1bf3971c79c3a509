import * as Effect from "effect/Effect";
import * as Result from "effect/Result";
import type { AdapterRegistry } from "../../../ports/adapter-registry.ts";
import type { Runners } from "../../../ports/runners.ts";
import { type UnitOfWork, useCase } from "../../access/unit-of-work.ts";
import type { Actor } from "../../model/access/caller.ts";
import { withConfig } from "../../model/agents/agent.ts";
import { fillMasks } from "../../model/agents/agent-config.ts";
import { refuseLoaderVariables } from "../../model/agents/loader-variables.ts";
import { type Approval, type HirePayload, type Question, resubmit } from "../../model/approvals/approval.ts";
import { refusalOfResubmit } from "../../model/approvals/approval-actions.ts";
import { proposedVariables } from "../../model/approvals/proposed-values.ts";
import { bounds, TooManyRecords } from "../../model/shared/bounds.ts";
import type { AgentId, ApprovalId } from "../../model/shared/ids.ts";
import { namedVariables, refuseSecretsElsewhere } from "../agents/agent-settings.ts";
import { refuseRunnerOf } from "../agents/choose-runner.ts";
import { type AgentProposal, checkedConfig } from "../agents/create-agent.ts";
import { checkedHire } from "./checked-hire.ts";
import type { Proposal } from "./request-approval.ts";

export interface ResubmitApproval {
  readonly approvalId: ApprovalId;
  readonly by: Actor;
  /** Replaces the payload; where missing, the payload stays. */
  readonly proposal?: Proposal | undefined;
}

/** Resubmits an approval after the board requested a revision: by the requesting agent or by the board. */
export const resubmitApproval = (adapters: AdapterRegistry, runners: Runners) =>
  useCase("approvals.resubmit", function* (unit, { approvalId, proposal }: ResubmitApproval) {
    const { agentId } = yield* unit.approvals.find(approvalId);
    const draft = agentId === null ? null : yield* unit.agents.lock(agentId).pipe(Effect.orDie);
    const approval = yield* unit.approvals.lock(approvalId);
    const refusal = refusalOfResubmit(approval, unit.by);
    if (refusal !== null) yield* Effect.fail(refusal);
    if (approval.payloadRevision > bounds.approvalRounds.most)
      yield* Effect.fail(TooManyRecords.of("approvalRounds"));
    if (proposal?.type === "hire_agent") {
      yield* Effect.fromResult(refuseLoaderVariables(unit.by, proposal.payload.adapterConfig));
      yield* refuseRunnerOf(unit.by, proposal.payload.runtimeConfig);
    }
    const asked = yield* Effect.fromResult(resubmit(approval, unit.at));
    const hireId = draft?.id ?? unit.newId<"agent">();
    if (proposal === undefined && asked.type === "hire_agent")
      // A hire that was possible when it was requested may be impossible now.
      yield* checkedHire(unit, adapters, runners, asked, hireId);
    const { question, grantedPaths } =
      proposal === undefined
        ? { question: asked, grantedPaths: asked.grantedPaths }
        : yield* questionOf(unit, adapters, runners, { ...asked, agentId: hireId }, proposal);
    const proposed =
      proposal?.type === "hire_agent"
        ? proposedVariables(proposal.payload.adapterConfig ?? {}, unit.by, approval.proposedVariables)
        : approval.proposedVariables;
    const again: Approval = { ...asked, ...question, grantedPaths, proposedVariables: proposed };
    yield* unit.approvals.saveRound(approval);
    yield* unit.approvals.save(again);
    if (draft !== null && proposal !== undefined && question.type === "hire_agent")
      yield* unit.agents.saveRenamed(withConfig(draft, question.payload, unit.at));
    yield* unit.log("approval.resubmitted", approval, { type: approval.type });
    return again;
  });

/** Returns the new payload. Masked values of a hire stand for the values of the previous payload. */
const questionOf = Effect.fnUntraced(function* (
  unit: UnitOfWork,
  adapters: AdapterRegistry,
  runners: Runners,
  before: Approval & { readonly agentId: AgentId },
  proposal: Proposal,
) {
  const { grantedPaths: granted } = before;
  if (proposal.type !== "hire_agent") return { question: proposal, grantedPaths: granted };
  if (before.type !== "hire_agent") return { question: before, grantedPaths: granted };
  const given = yield* Effect.fromResult(unmasked(before.payload, proposal.payload));
  const named = {
    names: namedVariables(proposal.payload.adapterConfig),
    path: ["payload", "adapterConfig", "env"],
  };
  yield* Effect.fromResult(
    refuseSecretsElsewhere(before.payload.adapterConfig, given.adapterConfig ?? {}, named),
  );
  const { config, grantedPaths } = yield* checkedConfig(
    unit,
    adapters,
    runners,
    { ...before, id: before.agentId },
    {
      ...given,
      by: unit.by,
      granted,
    },
  );
  const question: Question = { type: "hire_agent", payload: config };
  return { question, grantedPaths };
});

const unmasked = (before: HirePayload, proposal: AgentProposal) => {
  const filled = fillMasks(before.adapterConfig, proposal.adapterConfig ?? {});
  return Result.map(filled, (adapterConfig): AgentProposal => ({ ...proposal, adapterConfig }));
};
