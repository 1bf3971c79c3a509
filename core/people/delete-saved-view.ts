import * as Effect from "effect/Effect";
import type { Transactor } from "../../ports/transactor.ts";
import { transact } from "../access/transact-as.ts";
import { SavedViewNotFound } from "../model/access/saved-view.ts";
import type { CompanyId, SavedViewId, UserId } from "../model/shared/ids.ts";

/** Deletes a view of the person; those of others do not exist for them. */
export const deleteSavedView =
  (transactor: Transactor) =>
  (command: { readonly savedViewId: SavedViewId; readonly companyId: CompanyId; readonly userId: UserId }) =>
    transact(transactor, function* (stores) {
      const { savedViewId, companyId, userId } = command;
      if (!(yield* stores.savedViews.delete(savedViewId, userId, companyId)))
        yield* Effect.fail(new SavedViewNotFound());
    });
