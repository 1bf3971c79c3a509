import * as Effect from "effect/Effect";
import { useCase } from "../access/unit-of-work.ts";
import { SavedViewNotFound } from "../model/access/saved-view.ts";
import type { CompanyId, SavedViewId, UserId } from "../model/shared/ids.ts";

export interface DeleteSavedView {
  readonly savedViewId: SavedViewId;
  readonly companyId: CompanyId;
  readonly userId: UserId;
}

/** Deletes a view of the person. Other people's views do not exist for them. */
export const deleteSavedView = useCase("access.deleteSavedView", function* (unit, command: DeleteSavedView) {
  const { savedViewId, companyId, userId } = command;
  if (!(yield* unit.savedViews.delete(savedViewId, userId, companyId)))
    yield* Effect.fail(new SavedViewNotFound());
});
