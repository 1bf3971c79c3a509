import * as Effect from "effect/Effect";
import type { AgentInCompany } from "../../ports/stores/agent-store.ts";
import type { Stores } from "../../ports/transactor.ts";
import { currentTraceparent } from "../access/current-traceparent.ts";
import type { UnitOfWork } from "../access/unit-of-work.ts";
import { releasedByWake } from "../model/runs/quarantine.ts";
import { skipReason, type WakeRequest } from "../model/runs/wake.ts";
import type { WakeId } from "../model/shared/ids.ts";

/** Why an agent is woken. `id`: the wake's id, if the caller has chosen one. */
export type WakeCause = Omit<
  WakeRequest,
  "id" | "runId" | "agent" | "company" | "by" | "at" | "traceparent"
> & {
  readonly id?: WakeId;
};

/**
 * Records a wake by the unit's actor with its cause: pending, or skipped at once where it has no purpose now. A person's
 * wake releases quarantined runs either way.
 */
export const wake = (unit: UnitOfWork, agent: AgentInCompany, cause: WakeCause): Effect.Effect<void> =>
  Effect.flatMap(currentTraceparent, (traceparent) => record(unit, agent, { ...cause, traceparent }));

const record = (
  unit: UnitOfWork,
  agent: AgentInCompany,
  cause: WakeCause & Pick<WakeRequest, "traceparent">,
): Effect.Effect<void> => {
  const request: WakeRequest = {
    ...cause,
    id: cause.id ?? unit.newId<"wake">(),
    runId: unit.newId<"run">(),
    agent,
    company: agent.companyStatus,
    by: unit.by,
    at: unit.at,
  };
  const recorded =
    skipReason(request, request.reason) === null ? unit.wakes.add(request) : skipped(unit, request);
  const released = releasedByWake(request);
  // Released first: it locks the runs in the order of their ids, the wake then locks one of them.
  return released.length === 0 ? recorded : Effect.andThen(unit.runs.release(released, unit.at), recorded);
};

/**
 * A concurrent transaction that lifts a hold cannot see the cause yet and makes no wake for it. So a wake is skipped
 * only under a hold that stays until the cause is visible; otherwise the gate decides.
 */
const skipped = Effect.fnUntraced(function* (stores: Stores, request: WakeRequest) {
  const agent = yield* stores.agents.lockShared(request.agent.id);
  const reason =
    agent === null ? null : skipReason({ ...request, agent, company: agent.companyStatus }, request.reason);
  yield* reason === null ? stores.wakes.add(request) : stores.wakes.addSkipped(request, reason);
});
