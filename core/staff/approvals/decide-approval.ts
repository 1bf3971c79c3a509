import * as Effect from "effect/Effect";
import type { AdapterRegistry } from "../../../ports/adapter-registry.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { Ids } from "../../../ports/ids.ts";
import type { Runners } from "../../../ports/runners.ts";
import type { Stores, Transactor } from "../../../ports/transactor.ts";
import { logAction } from "../../access/log-action.ts";
import { transactAs } from "../../access/transact-as.ts";
import { type Actor, type AgentCaller, actorOf, type BoardCaller } from "../../model/access/caller.ts";
import { type Agent, hire, newAgent, terminate } from "../../model/agents/agent.ts";
import type { Approval } from "../../model/approvals/approval.ts";
import { decided as verdicts } from "../../model/approvals/approval-status.ts";
import { evaluateAuthority } from "../../model/approvals/authority.ts";
import { decide, isAboutCurrentPayload, isRepeated, type Verdict } from "../../model/approvals/decision.ts";
import type { ApprovalId } from "../../model/shared/ids.ts";
import type { Instant } from "../../model/shared/instant.ts";
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
export const decideApproval =
  (transactor: Transactor, clock: Clock, ids: Ids, adapters: AdapterRegistry, runners: Runners) =>
  (command: DecideApproval) =>
    transactAs(transactor, actorOf(command.caller), function* (stores) {
      const { approvalId, caller, payloadRevision, ...verdict } = command;
      const by = actorOf(caller);
      const { agentId } = yield* stores.approvals.find(approvalId);
      // Agents are always locked before approvals.
      const draft = agentId === null ? null : yield* stores.agents.lock(agentId).pipe(Effect.orDie);
      const approval = yield* stores.approvals.lock(approvalId);
      if (isRepeated(approval, verdict, by)) return approval;
      yield* Effect.fromResult(isAboutCurrentPayload(approval, payloadRevision));
      const authority = evaluateAuthority({
        approval,
        caller,
        grants: caller.kind === "agent" ? yield* stores.grants.heldBy(caller.agentId) : [],
        asked: verdict,
      });
      const at = clock.now();
      const decided = yield* Effect.fromResult(decide(approval, verdict, authority, by, at));
      const hired =
        decided.type === "hire_agent" && decided.status === "approved"
          ? yield* carryOutHire(stores, ids, adapters, runners, decided, draft, by, at)
          : null;
      if (decided.status === "rejected" && draft !== null) yield* stores.agents.save(terminate(draft, at));
      const saved = { ...decided, agentId: hired?.id ?? decided.agentId };
      yield* stores.approvals.save(saved);
      yield* logAction(stores, saved, by, at, `approval.${verdicts[command.decision]}`, {
        type: saved.type,
        ...(saved.chosenOwner === null ? {} : { chosenOwner: saved.chosenOwner }),
        ...(authority.grant === null ? {} : { grantId: authority.grant.id }),
      });
      yield* wakeRequester(stores, ids, saved, by, at);
      return saved;
    });

/** Hires the agent exactly as it was approved. */
const carryOutHire = Effect.fnUntraced(function* (
  stores: Stores,
  ids: Ids,
  adapters: AdapterRegistry,
  runners: Runners,
  approval: Approval & { readonly type: "hire_agent" },
  draft: Agent | null,
  by: Actor,
  at: Instant,
) {
  const { companyId } = approval;
  const id = draft?.id ?? ids.next<"agent">();
  const { config, grantedPaths } = yield* checkedHire(stores, adapters, runners, approval, id);
  const agent =
    draft === null
      ? newAgent({ ...config, grantedPaths, id, companyId, lifecycleState: "active", at })
      : { ...(yield* Effect.fromResult(hire(draft, config, at))), grantedPaths };
  yield* draft === null ? stores.agents.insert(agent) : stores.agents.saveRenamed(agent);
  yield* recordFirstRevision(stores, ids, agent, by, at);
  yield* logAction(stores, { companyId, id }, by, at, "agent.hired", {
    name: agent.name,
    role: agent.role,
    adapterType: agent.adapterType,
    approvalId: approval.id,
  });
  return agent;
});
