import * as Effect from "effect/Effect";
import type { BoundedBy, Counted } from "../../ports/stores/bound-store.ts";
import type { Stores } from "../../ports/transactor.ts";
import { bounds, TooManyRecords } from "../model/shared/bounds.ts";
import type { CompanyId } from "../model/shared/ids.ts";

/**
 * Refuses a record beyond the bound. Unless the record to which the bound applies is locked, concurrent requests may exceed it
 * by their number.
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
