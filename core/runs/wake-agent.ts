import type * as Effect from "effect/Effect";
import type { Ids } from "../../ports/ids.ts";
import type { Stores } from "../../ports/transactor.ts";
import type { WakeId } from "../shared/ids.ts";
import { skipReason, type WakeRequest } from "./wake.ts";

export type WakeCause = Omit<WakeRequest, "id" | "runId"> & { readonly id?: WakeId };

/** Records a wake beside its cause: pending, or skipped at once where it would be pointless now. */
export const wakeAgent = (stores: Stores, ids: Ids, cause: WakeCause): Effect.Effect<void> => {
  const request: WakeRequest = { ...cause, id: cause.id ?? ids.next<"wake">(), runId: ids.next<"run">() };
  const reason = skipReason(request);
  return reason === null ? stores.wakes.add(request) : stores.wakes.addSkipped(request, reason);
};
