import * as Effect from "effect/Effect";
import type { Clock } from "../../ports/clock.ts";
import type { Ids } from "../../ports/ids.ts";
import type { Transactor } from "../../ports/transactor.ts";
import { transact } from "../access/transact-as.ts";
import { mostSavedViews, type SavedView, TooManySavedViews } from "../model/access/saved-view.ts";
import type { CompanyId, SavedViewId, UserId } from "../model/shared/ids.ts";

/** Saves a view under a name; one that the person has by that name, in any case, is replaced. */
export const saveView =
  (transactor: Transactor, clock: Clock, ids: Ids) =>
  (command: {
    readonly companyId: CompanyId;
    readonly userId: UserId;
    readonly name: string;
    readonly query: string;
  }) =>
    transact(transactor, function* (stores) {
      const { companyId, userId, name, query } = command;
      // Two calls at once count the same views otherwise.
      yield* stores.access.lockUser(userId).pipe(Effect.orDie);
      const at = clock.now();
      const saved = yield* stores.savedViews.of(userId, companyId);
      const former = saved.find((each) => each.name.toLowerCase() === name.toLowerCase());
      if (former === undefined && saved.length >= mostSavedViews)
        return yield* Effect.fail(new TooManySavedViews());
      const view: SavedView = {
        id: former?.id ?? (ids.next<"saved_view">() as SavedViewId),
        companyId,
        userId,
        name,
        query,
        createdAt: former?.createdAt ?? at,
        updatedAt: at,
      };
      yield* stores.savedViews.save(view);
      return view;
    });
