import * as Effect from "effect/Effect";
import type { AdapterRegistry } from "../../../ports/adapter-registry.ts";
import type { Runners } from "../../../ports/runners.ts";
import { type UnitOfWork, useCase } from "../../access/unit-of-work.ts";
import type { AgentCaller, BoardCaller } from "../../model/access/caller.ts";
import { type Agent, hire, newAgent, terminate } from "../../model/agents/agent.ts";
import type { Approval } from "../../model/approvals/approval.ts";
import { decided as verdicts } from "../../model/approvals/approval-status.ts";
import { evaluateAuthority } from "../../model/approvals/authority.ts";
import { decide, isAboutCurrentPayload, isRepeated, type Verdict } from "../../model/approvals/decision.ts";
import type { ApprovalId } from "../../model/shared/ids.ts";
import { recordFirstRevision } from "../agents/create-agent.ts";
import { checkedHire } from "./checked-hire.ts";
import { wakeRequester } from "./wake-requester.ts";

export interface DecideApproval extends Verdict {
  readonly approvalId: ApprovalId;
  readonly caller: BoardCaller | AgentCaller;
  /** The payload revision that the caller has seen; null accepts the present one. */
  readonly payloadRevision: number | null;
}

/**
 * Approves, rejects, or requests a revision. The decision, its consequences, its log entry and the wake of the
 * requesting agent are one transaction. Repeating the same decision by the same caller changes nothing.
 */
export const decideApproval = (adapters: AdapterRegistry, runners: Runners) =>
  useCase("approvals.decide", function* (unit, command: DecideApproval) {
    const { approvalId, caller, payloadRevision, ...verdict } = command;
    const { agentId } = yield* unit.approvals.find(approvalId);
    // Agents are always locked before approvals.
    const draft = agentId === null ? null : yield* unit.agents.lock(agentId).pipe(Effect.orDie);
    const approval = yield* unit.approvals.lock(approvalId);
    if (isRepeated(approval, verdict, unit.by)) return approval;
    yield* Effect.fromResult(isAboutCurrentPayload(approval, payloadRevision));
    const authority = evaluateAuthority({
      approval,
      caller,
      grants: caller.kind === "agent" ? yield* unit.grants.heldBy(caller.agentId) : [],
      asked: verdict,
    });
    const decided = yield* Effect.fromResult(decide(approval, verdict, authority, unit.by, unit.at));
    const hired =
      decided.type === "hire_agent" && decided.status === "approved"
        ? yield* carryOutHire(unit, adapters, runners, decided, draft)
        : null;
    if (decided.status === "rejected" && draft !== null) yield* unit.agents.save(terminate(draft, unit.at));
    const saved = { ...decided, agentId: hired?.id ?? decided.agentId };
    yield* unit.approvals.save(saved);
    yield* unit.log(`approval.${verdicts[command.decision]}`, saved, {
      type: saved.type,
      ...(saved.chosenOwner === null ? {} : { chosenOwner: saved.chosenOwner }),
      ...(authority.grant === null ? {} : { grantId: authority.grant.id }),
    });
    yield* wakeRequester(unit, saved);
    return saved;
  });

/** Hires the agent exactly as it was approved. */
const carryOutHire = Effect.fnUntraced(function* (
  unit: UnitOfWork,
  adapters: AdapterRegistry,
  runners: Runners,
  approval: Approval & { readonly type: "hire_agent" },
  draft: Agent | null,
) {
  const { companyId } = approval;
  const id = draft?.id ?? unit.newId<"agent">();
  const { config, grantedPaths } = yield* checkedHire(unit, adapters, runners, approval, id);
  const agent =
    draft === null
      ? newAgent({ ...config, grantedPaths, id, companyId, lifecycleState: "active", at: unit.at })
      : { ...(yield* Effect.fromResult(hire(draft, config, unit.at))), grantedPaths };
  yield* draft === null ? unit.agents.insert(agent) : unit.agents.saveRenamed(agent);
  yield* recordFirstRevision(unit, agent);
  yield* unit.log(
    "agent.hired",
    { companyId, id },
    { name: agent.name, role: agent.role, adapterType: agent.adapterType, approvalId: approval.id },
  );
  return agent;
});
