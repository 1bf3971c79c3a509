import * as Effect from "effect/Effect";
import type { IssueTrees } from "../../ports/issue-trees.ts";
import type { Transactor } from "../../ports/transactor.ts";
import type { TreeId } from "../shared/ids.ts";

/**
 * Moves the folder of a tree to the trash, as its row says. It may be repeated, also by several at once: a folder that is
 * made meanwhile is not moved under the same name again.
 */
export const finishRemoval = Effect.fnUntraced(function* (
  transactor: Transactor,
  disk: IssueTrees,
  treeId: TreeId,
) {
  const tree = yield* transactor.transact((stores) => stores.trees.find(treeId));
  if (tree === null || tree.removalId === null) return;
  yield* disk.discard(tree, tree.removalId);
  yield* transactor.transact((stores) =>
    Effect.gen(function* () {
      const now = yield* stores.trees.lock(treeId);
      if (now?.removalId === tree.removalId) yield* stores.trees.save({ ...now, removalId: null });
    }),
  );
});
