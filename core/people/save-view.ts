import * as Effect from "effect/Effect";
import { useCase } from "../access/unit-of-work.ts";
import { mostSavedViews, type SavedView, TooManySavedViews } from "../model/access/saved-view.ts";
import type { CompanyId, SavedViewId, UserId } from "../model/shared/ids.ts";

export interface SaveView {
  readonly companyId: CompanyId;
  readonly userId: UserId;
  readonly name: string;
  readonly query: string;
}

/** Saves a view under a name; one that the person has by that name, in any case, is replaced. */
export const saveView = useCase("access.saveView", function* (unit, command: SaveView) {
  const { companyId, userId, name, query } = command;
  // Two calls at once count the same views otherwise.
  yield* unit.access.lockUser(userId).pipe(Effect.orDie);
  const saved = yield* unit.savedViews.of(userId, companyId);
  const former = saved.find((each) => each.name.toLowerCase() === name.toLowerCase());
  if (former === undefined && saved.length >= mostSavedViews)
    return yield* Effect.fail(new TooManySavedViews());
  const view: SavedView = {
    id: former?.id ?? (unit.newId<"saved_view">() as SavedViewId),
    companyId,
    userId,
    name,
    query,
    createdAt: former?.createdAt ?? unit.at,
    updatedAt: unit.at,
  };
  yield* unit.savedViews.save(view);
  return view;
});
