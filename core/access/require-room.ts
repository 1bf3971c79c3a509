import * as Effect from "effect/Effect";
import type { BoundedBy, Counted } from "../../ports/stores/bound-store.ts";
import type { Stores } from "../../ports/transactor.ts";
import { bounds, TooManyRecords } from "../model/shared/bounds.ts";
import type { CompanyId } from "../model/shared/ids.ts";

/**
 * Refuses one more than there may be. Without a lock of the record to which the bound applies, requests at the same moment
 * may exceed it by their number.
 */
export const requireRoom = Effect.fnUntraced(function* <Of extends Counted>(
  stores: Pick<Stores, "bounds">,
  of: Of,
  companyId: CompanyId,
  id: BoundedBy[Of],
) {
  if ((yield* stores.bounds.count(of, companyId, id)) >= bounds[of].most)
    yield* Effect.fail(TooManyRecords.of(of));
});
