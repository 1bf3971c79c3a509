import * as Effect from "effect/Effect";
import type { AdapterRegistry } from "../../ports/adapter-registry.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Ids } from "../../ports/ids.ts";
import type { Stores, Transactor } from "../../ports/transactor.ts";
import { type Actor, type AgentCaller, actorOf, type BoardCaller } from "../access/caller.ts";
import { transactAs } from "../access/transact-as.ts";
import { type Agent, hire, newAgent, terminate } from "../agents/agent.ts";
import { type AgentProposal, checkedConfig, recordFirstRevision } from "../agents/create-agent.ts";
import type { ApprovalId } from "../shared/ids.ts";
import type { Instant } from "../shared/instant.ts";
import { type Approval, decide, isAboutCurrentPayload, isRepeated, type Verdict } from "./approval.ts";
import { evaluateAuthority } from "./authority.ts";
import { wakeRequester } from "./wake-requester.ts";

export interface DecideApproval extends Verdict {
  readonly approvalId: ApprovalId;
  readonly caller: BoardCaller | AgentCaller;
  /** Of the payload that the caller has seen; null: whichever it is now. */
  readonly payloadRevision: number | null;
}

/**
 * Approves, rejects, or asks for a revision: the decision, what follows from it, its record and the wake of whoever asked,
 * together. The same decision said twice by the same caller is one.
 */
export const decideApproval =
  (transactor: Transactor, clock: Clock, ids: Ids, adapters: AdapterRegistry) => (command: DecideApproval) =>
    transactAs(transactor, actorOf(command.caller), (stores) =>
      Effect.gen(function* () {
        const { approvalId, caller, payloadRevision, ...verdict } = command;
        const by = actorOf(caller);
        const { agentId } = yield* stores.approvals.find(approvalId);
        // Agents are locked before approvals, everywhere.
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
        if (authority.refusal !== null) return yield* Effect.fail(authority.refusal);
        const at = clock.now();
        const decided = yield* Effect.fromResult(decide(approval, verdict, by, at));
        const hired =
          decided.type === "hire_agent" && decided.status === "approved"
            ? yield* carryOutHire(stores, ids, adapters, decided, draft, by, at)
            : null;
        if (decided.status === "rejected" && draft !== null) yield* stores.agents.save(terminate(draft, at));
        const saved = { ...decided, agentId: hired?.id ?? decided.agentId };
        yield* stores.approvals.save(saved);
        yield* stores.activity.append({
          companyId: saved.companyId,
          by,
          at,
          action: `approval.${decided.status as Exclude<typeof decided.status, "pending">}`,
          entityId: saved.id,
          details: {
            type: saved.type,
            ...(saved.chosenOwner === null ? {} : { chosenOwner: saved.chosenOwner }),
            ...(authority.grant === null ? {} : { grantId: authority.grant.id }),
          },
        });
        yield* wakeRequester(stores, ids, saved, by, at);
        return saved;
      }),
    );

/** What was approved is what there is afterwards, field by field. */
const carryOutHire = Effect.fnUntraced(function* (
  stores: Stores,
  ids: Ids,
  adapters: AdapterRegistry,
  approval: Approval,
  draft: Agent | null,
  by: Actor,
  at: Instant,
) {
  const { companyId } = approval;
  const id = draft?.id ?? ids.next<"agent">();
  // Again, because adapters and managers may have gone since it was asked for.
  const proposal = approval.payload as unknown as AgentProposal;
  const config = yield* checkedConfig(stores, adapters, companyId, id, proposal);
  const agent =
    draft === null
      ? newAgent({ ...config, id, companyId, standing: "active", at })
      : yield* Effect.fromResult(hire(draft, config, at));
  yield* draft === null ? stores.agents.insert(agent) : stores.agents.saveRenamed(agent);
  yield* recordFirstRevision(stores, ids, agent, by, at);
  yield* stores.activity.append({
    companyId,
    by,
    at,
    action: "agent.hired",
    entityId: id,
    details: {
      name: agent.name,
      role: agent.role,
      adapterType: agent.adapterType,
      approvalId: approval.id,
    },
  });
  return agent;
});
