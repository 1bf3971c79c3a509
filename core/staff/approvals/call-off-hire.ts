import * as Effect from "effect/Effect";
import type { Ids } from "../../../ports/ids.ts";
import type { Stores } from "../../../ports/transactor.ts";
import { logAction } from "../../access/log-action.ts";
import type { Actor } from "../../model/access/caller.ts";
import { callOff } from "../../model/approvals/approval.ts";
import type { AgentId } from "../../model/shared/ids.ts";
import type { Instant } from "../../model/shared/instant.ts";
import { wakeRequester } from "./wake-requester.ts";

/** Rejects the hire of a terminated draft and wakes the requesting agent. */
export const callOffHire = Effect.fnUntraced(function* (
  stores: Stores,
  ids: Ids,
  agentId: AgentId,
  by: Actor,
  at: Instant,
) {
  const hire = yield* stores.approvals.lockHireOf(agentId);
  if (hire === null) return;
  const rejected = yield* Effect.orDie(Effect.fromResult(callOff(hire, by, at)));
  yield* stores.approvals.save(rejected);
  yield* logAction(stores, hire, by, at, "approval.rejected", { type: hire.type });
  yield* wakeRequester(stores, ids, rejected, by, at);
});
