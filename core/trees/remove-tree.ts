import * as Effect from "effect/Effect";
import type { Clock } from "../../ports/clock.ts";
import type { Ids } from "../../ports/ids.ts";
import type { IssueTrees } from "../../ports/issue-trees.ts";
import type { Transactor } from "../../ports/transactor.ts";
import type { Actor } from "../access/caller.ts";
import type { TreeId, VolumeId } from "../shared/ids.ts";
import { finishRemoval } from "./finish-removal.ts";
import { WorkspaceNotFound, WorkspaceStays, whyItStays } from "./removal.ts";

export interface RemoveTree {
  readonly treeId: TreeId;
  /** A person gives up what is in no branch, and accepts what is not kept. */
  readonly abandon?: boolean | undefined;
  /** Long after its issue was closed. */
  readonly isRetention?: boolean;
  readonly by: Actor;
}

export interface RemovePorts {
  readonly transactor: Transactor;
  readonly clock: Clock;
  readonly ids: Ids;
  /** Where this service keeps workspaces. */
  readonly volume: VolumeId;
  /** Of this service's disk; null: it has none. */
  readonly trees: () => IssueTrees | null;
}

/**
 * Removes the folder of a workspace; its kept work stays, and the issue's next run makes it again. The removal is recorded
 * before the folder is moved, so that a service that starts later finishes it.
 */
export const removeTree = ({ transactor, clock, ids, volume, trees }: RemovePorts) =>
  Effect.fnUntraced(function* ({ treeId, abandon = false, isRetention = false, by }: RemoveTree) {
    const disk = trees();
    const removed = yield* transactor.transact((stores) =>
      Effect.gen(function* () {
        const found = yield* stores.trees.find(treeId);
        if (found === null) return yield* Effect.fail(new WorkspaceNotFound());
        const branches = yield* stores.repositories.lockBranches(found.issueId);
        const tree = yield* stores.trees.lock(treeId);
        if (tree === null) return yield* Effect.fail(new WorkspaceNotFound());
        if (tree.volume !== volume || disk === null)
          return yield* Effect.fail(
            new WorkspaceStays(
              { reason: "elsewhere" },
              "It is on the disk of another host: ask a service there.",
            ),
          );
        const works = yield* stores.trees.works(tree.runId);
        const why = whyItStays(
          { tree, branches, works },
          abandon ? "abandoning" : isRetention ? "retention" : "request",
        );
        if (why !== null) return yield* Effect.fail(new WorkspaceStays({ reason: why.code }, why.message));
        const at = clock.now();
        if (abandon && tree.agentId === null)
          for (const branch of branches)
            if (branch.mergedAt === null)
              yield* stores.repositories.saveBranch({ ...branch, givenUpAt: at, updatedAt: at });
        const { isTaken: _, ...rest } = tree;
        yield* stores.trees.save({ ...rest, madeAt: null, removalId: ids.next() });
        yield* stores.activity.append({
          companyId: tree.companyId,
          by,
          at,
          action: "workspace.removed",
          entityId: tree.id,
          details: { issueId: tree.issueId, givenUp: abandon },
        });
        return { ...rest, disk };
      }),
    );
    yield* finishRemoval(transactor, removed.disk, treeId);
    return removed;
  });
