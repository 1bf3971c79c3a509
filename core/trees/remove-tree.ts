import * as Effect from "effect/Effect";
import type { Clock } from "../../ports/clock.ts";
import type { CodeStores } from "../../ports/code-stores.ts";
import type { Ids } from "../../ports/ids.ts";
import type { IssueTrees, TreeDisks } from "../../ports/issue-trees.ts";
import type { Transactor } from "../../ports/transactor.ts";
import type { Actor } from "../access/caller.ts";
import type { Repository } from "../repositories/repository.ts";
import type { TreeId } from "../shared/ids.ts";
import { finishRemoval } from "./finish-removal.ts";
import { WorkspaceNotFound, WorkspaceStays } from "./removal.ts";
import { runCommands } from "./run-commands.ts";
import { markOf, type Tree } from "./tree.ts";
import { refusalOfRemoval } from "./tree-actions.ts";

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
  readonly codeStores: Pick<CodeStores, "sharedObjects">;
  readonly disks: TreeDisks;
}

/**
 * Removes the folder of a workspace; its kept work stays, and the issue's next run makes it again. The removal is recorded
 * before the folder is moved, so that a service that starts later finishes it.
 */
export const removeTree = (parts: RemovePorts) => {
  const { transactor, clock, ids, disks } = parts;
  return Effect.fnUntraced(function* ({ treeId, abandon = false, isRetention = false, by }: RemoveTree) {
    const removed = yield* transactor.transact((stores) =>
      Effect.gen(function* () {
        const found = yield* stores.trees.find(treeId);
        if (found === null) return yield* Effect.fail(new WorkspaceNotFound());
        const branches = yield* stores.repositories.lockBranches(found.issueId);
        const tree = yield* stores.trees.lock(treeId);
        if (tree === null) return yield* Effect.fail(new WorkspaceNotFound());
        const disk = disks.of(tree.volume);
        if (disk === null)
          return yield* Effect.fail(
            new WorkspaceStays(
              { reason: "elsewhere" },
              "It is on the disk of another host, or on an engine that this service has no runner for: ask a service there.",
            ),
          );
        const works = yield* stores.trees.works(tree.runId);
        const no = refusalOfRemoval(
          { tree, branches, works },
          abandon ? "abandoning" : isRetention ? "retention" : "request",
        );
        if (no !== null) return yield* Effect.fail(no);
        const at = clock.now();
        if (abandon && tree.agentId === null)
          for (const branch of branches)
            if (branch.mergedAt === null)
              yield* stores.repositories.saveBranch({ ...branch, givenUpAt: at, updatedAt: at });
        const { isTaken: _, ...rest } = tree;
        yield* stores.trees.save({
          ...rest,
          madeAt: null,
          unkeptRunId: null,
          problem: null,
          removalId: ids.next(),
          firstPort: null,
          bytes: null,
        });
        yield* stores.activity.append({
          companyId: tree.companyId,
          by,
          at,
          action: "workspace.removed",
          entityId: tree.id,
          details: {
            issueId: tree.issueId,
            abandoned: abandon,
            ...(tree.unkeptRunId === null ? {} : { lostWorkOfRun: tree.unkeptRunId }),
          },
        });
        const cloned = yield* Effect.forEach(tree.clones, ({ repositoryId }) =>
          Effect.result(stores.repositories.find(repositoryId)),
        );
        const repositories = cloned.flatMap((one) => (one._tag === "Success" ? one.success : []));
        return { ...rest, disk, repositories };
      }),
    );
    yield* archive(parts, removed);
    // A later round finishes what an engine that is away holds back.
    yield* Effect.ignore(finishRemoval(transactor, removed.disk, treeId));
    return removed;
  });
};

/** Nothing waits for what the archive commands do: the workspace goes in any case. */
const archive = Effect.fnUntraced(function* (parts: RemovePorts, removed: Tree & Archived) {
  const { disk, repositories } = removed;
  if (repositories.every(({ archiveCommand }) => archiveCommand === null)) return;
  const { companyId } = removed;
  const objects = removed.clones.map(({ repositoryId }) =>
    parts.codeStores.sharedObjects({ companyId, repositoryId }),
  );
  const opened = yield* Effect.result(disk.open(null, removed, objects));
  if (opened._tag === "Failure") return;
  yield* runCommands(parts)({
    kind: "archive",
    tree: removed,
    repositories,
    trees: disk,
    step: { runId: markOf(removed.id), workspace: opened.success, stop: new AbortController().signal },
    runId: null,
    env: {},
    masked: (text) => text,
  });
});

interface Archived {
  readonly disk: IssueTrees;
  readonly repositories: readonly Repository[];
}
