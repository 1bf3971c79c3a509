import * as Effect from "effect/Effect";
import * as Result from "effect/Result";
import type { AdapterRegistry } from "../../ports/adapter-registry.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Ids } from "../../ports/ids.ts";
import type { Transactor } from "../../ports/transactor.ts";
import type { Actor } from "../access/caller.ts";
import { transactAs } from "../access/transact-as.ts";
import { withConfig } from "../agents/agent.ts";
import { type AdapterConfig, type AgentConfig, mergeAdapterConfig } from "../agents/agent-config.ts";
import { NotAllowed } from "../shared/failure.ts";
import type { ApprovalId } from "../shared/ids.ts";
import { type Payload, resubmit } from "./approval.ts";
import { checkedHire } from "./request-approval.ts";

export interface ResubmitApproval {
  readonly approvalId: ApprovalId;
  readonly by: Actor;
  /** In place of the one before; left out, that one stays. */
  readonly payload?: Payload | undefined;
}

/** Asks again, after the board wanted a revision. For whoever had asked, and for the board. */
export const resubmitApproval =
  (transactor: Transactor, clock: Clock, ids: Ids, adapters: AdapterRegistry) =>
  ({ approvalId, by, payload }: ResubmitApproval) =>
    transactAs(transactor, by, (stores) =>
      Effect.gen(function* () {
        const { agentId } = yield* stores.approvals.find(approvalId);
        const draft = agentId === null ? null : yield* stores.agents.lock(agentId).pipe(Effect.orDie);
        const approval = yield* stores.approvals.lock(approvalId);
        if (by.kind === "agent" && by.agentId !== approval.requestedByAgentId)
          yield* Effect.fail(new NotAllowed(undefined, "Only the agent that asked may ask again."));
        const at = clock.now();
        const asked = yield* Effect.fromResult(resubmit(approval, payload ?? approval.payload, at));
        const { companyId } = approval;
        const again =
          payload !== undefined && approval.type === "hire_agent"
            ? {
                ...asked,
                payload: yield* checkedHire(
                  stores,
                  adapters,
                  companyId,
                  draft?.id ?? ids.next<"agent">(),
                  yield* Effect.fromResult(unmasked(approval.payload, payload)),
                ),
              }
            : asked;
        yield* stores.approvals.save(again);
        if (draft !== null && payload !== undefined)
          yield* stores.agents.saveRenamed(withConfig(draft, again.payload as unknown as AgentConfig, at));
        yield* stores.activity.append({
          companyId,
          by,
          at,
          action: "approval.resubmitted",
          entityId: approvalId,
          details: { type: approval.type },
        });
        return again;
      }),
    );

/** A proposal that sends masked values back means the ones it was shown. */
const unmasked = (before: Payload, after: Payload) => {
  const stored = (before.adapterConfig ?? {}) as AdapterConfig;
  const given = (after.adapterConfig ?? {}) as AdapterConfig;
  const merged = mergeAdapterConfig(given.env === undefined ? {} : { env: stored.env ?? {} }, given);
  return Result.map(merged, (adapterConfig): Payload => ({ ...after, adapterConfig }));
};
