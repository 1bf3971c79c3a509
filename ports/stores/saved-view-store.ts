import type * as Effect from "effect/Effect";
import type { SavedView } from "../../core/model/access/saved-view.ts";
import type { CompanyId, SavedViewId, UserId } from "../../core/model/shared/ids.ts";

export interface SavedViewStore {
  /** The views of a person in a company. */
  of(userId: UserId, companyId: CompanyId): Effect.Effect<readonly SavedView[]>;
  /** Inserts it, or replaces the one of its id. */
  save(view: SavedView): Effect.Effect<void>;
  /** Returns false where the person has no such view in the company. */
  delete(id: SavedViewId, userId: UserId, companyId: CompanyId): Effect.Effect<boolean>;
}
