import * as Effect from "effect/Effect";
import type { Clock } from "../../ports/clock.ts";
import type { Transactor } from "../../ports/transactor.ts";
import { transact } from "../access/transact-as.ts";
import { type SavedView, SavedViewNameTaken, SavedViewNotFound } from "../model/access/saved-view.ts";
import type { CompanyId, SavedViewId, UserId } from "../model/shared/ids.ts";

/** Gives a view of the person another name; no other of theirs is replaced. */
export const renameSavedView =
  (transactor: Transactor, clock: Clock) =>
  (command: {
    readonly savedViewId: SavedViewId;
    readonly companyId: CompanyId;
    readonly userId: UserId;
    readonly name: string;
  }) =>
    transact(transactor, function* (stores) {
      const { savedViewId, companyId, userId, name } = command;
      // Two calls at once find the same name free otherwise.
      yield* stores.access.lockUser(userId).pipe(Effect.orDie);
      const saved = yield* stores.savedViews.of(userId, companyId);
      const former = saved.find(({ id }) => id === savedViewId);
      if (former === undefined) return yield* Effect.fail(new SavedViewNotFound());
      if (saved.some((each) => each !== former && each.name.toLowerCase() === name.toLowerCase()))
        return yield* Effect.fail(new SavedViewNameTaken());
      const view: SavedView = { ...former, name, updatedAt: clock.now() };
      yield* stores.savedViews.save(view);
      return view;
    });
