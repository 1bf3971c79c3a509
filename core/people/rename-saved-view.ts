import * as Effect from "effect/Effect";
import { useCase } from "../access/unit-of-work.ts";
import { type SavedView, SavedViewNameTaken, SavedViewNotFound } from "../model/access/saved-view.ts";
import type { CompanyId, SavedViewId, UserId } from "../model/shared/ids.ts";

export interface RenameSavedView {
  readonly savedViewId: SavedViewId;
  readonly companyId: CompanyId;
  readonly userId: UserId;
  readonly name: string;
}

/** Gives a view of the person another name; no other of theirs is replaced. */
export const renameSavedView = useCase("access.renameSavedView", function* (unit, command: RenameSavedView) {
  const { savedViewId, companyId, userId, name } = command;
  // Two calls at once find the same name free otherwise.
  yield* unit.access.lockUser(userId).pipe(Effect.orDie);
  const saved = yield* unit.savedViews.of(userId, companyId);
  const former = saved.find(({ id }) => id === savedViewId);
  if (former === undefined) return yield* Effect.fail(new SavedViewNotFound());
  if (saved.some((each) => each !== former && each.name.toLowerCase() === name.toLowerCase()))
    return yield* Effect.fail(new SavedViewNameTaken());
  const view: SavedView = { ...former, name, updatedAt: unit.at };
  yield* unit.savedViews.save(view);
  return view;
});
