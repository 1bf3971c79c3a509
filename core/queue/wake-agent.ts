import * as Effect from "effect/Effect";
import type { Ids } from "../../ports/ids.ts";
import type { AgentInCompany } from "../../ports/stores/agent-store.ts";
import type { Stores } from "../../ports/transactor.ts";
import type { UnitOfWork } from "../access/unit-of-work.ts";
import { releasedByWake } from "../model/runs/quarantine.ts";
import { skipReason, type WakeRequest } from "../model/runs/wake.ts";
import type { WakeId } from "../model/shared/ids.ts";

export type WakeCause = Omit<WakeRequest, "id" | "runId"> & { readonly id?: WakeId };

/**
 * Records a wake with its cause: pending, or skipped at once where it has no purpose now. A person's wake releases
 * quarantined runs either way.
 */
export const wakeAgent = (stores: Stores, ids: Ids, cause: WakeCause): Effect.Effect<void> => {
  const request: WakeRequest = { ...cause, id: cause.id ?? ids.next<"wake">(), runId: ids.next<"run">() };
  const recorded =
    skipReason(request, request.reason) === null ? stores.wakes.add(request) : skipped(stores, request);
  const released = releasedByWake(request);
  // Released first: it locks the runs in the order of their ids, the wake then locks one of them.
  return released.length === 0
    ? recorded
    : Effect.andThen(stores.runs.release(released, request.at), recorded);
};

/** As above, for an agent that the unit's actor wakes now. */
export const wake = (
  unit: UnitOfWork,
  agent: AgentInCompany,
  cause: Omit<WakeCause, "agent" | "company" | "by" | "at">,
): Effect.Effect<void> =>
  wakeAgent(unit, unit, { ...cause, agent, company: agent.companyStatus, by: unit.by, at: unit.at });

/**
 * A concurrent transaction that lifts a hold cannot see the cause yet and makes no wake for it. So a wake is skipped
 * only under a hold that stays until the cause is visible; otherwise the gate decides.
 */
const skipped = Effect.fnUntraced(function* (stores: Stores, request: WakeRequest) {
  const agent = yield* stores.agents.keepStill(request.agent.id);
  const reason =
    agent === null ? null : skipReason({ ...request, agent, company: agent.companyStatus }, request.reason);
  yield* reason === null ? stores.wakes.add(request) : stores.wakes.addSkipped(request, reason);
});
