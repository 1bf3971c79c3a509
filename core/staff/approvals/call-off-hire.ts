import * as Effect from "effect/Effect";
import type { UnitOfWork } from "../../access/unit-of-work.ts";
import { callOff } from "../../model/approvals/approval.ts";
import type { AgentId } from "../../model/shared/ids.ts";
import { wakeRequester } from "./wake-requester.ts";

/** Rejects the hire of a terminated draft and wakes the requesting agent. */
export const callOffHire = Effect.fnUntraced(function* (unit: UnitOfWork, agentId: AgentId) {
  const hire = yield* unit.approvals.lockHireOf(agentId);
  if (hire === null) return;
  const rejected = yield* Effect.orDie(Effect.fromResult(callOff(hire, unit.by, unit.at)));
  yield* unit.approvals.save(rejected);
  yield* unit.log("approval.rejected", hire, { type: hire.type });
  yield* wakeRequester(unit, rejected);
});
