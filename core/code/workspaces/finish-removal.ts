import * as Effect from "effect/Effect";
import type { CodeStores } from "../../../ports/code-stores.ts";
import type { IssueWorkspaces, WorkspaceDisks } from "../../../ports/issue-workspaces.ts";
import { workLease } from "../../../ports/stores/work-lease.ts";
import { transactAsSystem, type UseCaseContext } from "../../access/unit-of-work.ts";
import type { WorkspaceId } from "../../model/shared/ids.ts";
import { addMillis } from "../../model/shared/instant.ts";
import { type IssueWorkspace, markOf } from "../../model/workspaces/issue-workspace.ts";
import { type MaskPorts, maskForIssue } from "../../secrets/mask-for-agents.ts";
import { renewLease } from "../renew-lease.ts";
import type { OneAtATime } from "./capture-workspace.ts";
import { runCommands } from "./run-commands.ts";

export interface FinishPorts extends UseCaseContext, MaskPorts {
  readonly codeStores: Pick<CodeStores, "sharedObjects">;
  readonly oneAtATime: OneAtATime;
}

/**
 * Carries out a removal, as the row of the tree says: its archive commands, then its folder goes to the trash. It may be
 * repeated, also by several services; nothing is done where another one does it. One that was killed is followed by the next.
 */
export const finishRemoval = (parts: FinishPorts) => {
  const { transactor, clock } = parts;

  const finish = Effect.fnUntraced(function* (disk: IssueWorkspaces, treeId: WorkspaceId) {
    const at = clock.now();
    const times = { at, before: addMillis(at, -workLease.leaseSec * 1_000) };
    const tree = yield* transactor.transact((stores) => stores.trees.takeRemoval(treeId, times));
    if (tree === null || tree.removalId === null) return;
    const { removalId } = tree;
    const renew = renewLease(
      Effect.suspend(() =>
        transactor.transact((stores) => stores.trees.renewRemoval(treeId, removalId, clock.now())),
      ).pipe(Effect.as(true)),
    );
    yield* Effect.raceFirst(Effect.andThen(archive(parts, disk, tree), disk.discard(tree, removalId)), renew);
    yield* transactAsSystem(parts, "trees.finishRemoval", function* (unit) {
      const now = yield* unit.trees.lock(treeId);
      if (now?.removalId !== removalId) return;
      const { isTaken, ...rest } = now;
      // A run that waits for its end has the ports.
      const firstPort = isTaken ? rest.firstPort : null;
      yield* unit.trees.save({ ...rest, removalId: null, firstPort, triedAt: null });
    });
  });

  return (disk: IssueWorkspaces, treeId: WorkspaceId) =>
    parts.oneAtATime(`removal of ${treeId}`, finish(disk, treeId));
};

/** Nothing waits for what the archive commands do: the workspace goes in any case. */
const archive = Effect.fnUntraced(function* (
  parts: FinishPorts,
  disk: IssueWorkspaces,
  tree: IssueWorkspace,
) {
  const cloned = yield* parts.transactor.transact(({ repositories }) =>
    Effect.forEach(tree.clones, ({ repositoryId }) => Effect.result(repositories.find(repositoryId))),
  );
  const repositories = cloned.flatMap((one) => (one._tag === "Success" ? one.success : []));
  if (repositories.every(({ archiveCommand }) => archiveCommand === null)) return;
  if (!(yield* disk.isThere(tree))) return;
  // Commands of a killed service work in it still.
  yield* disk.endOrphanSteps(markOf(tree.id));
  const { companyId } = tree;
  const objects = tree.clones.map(({ repositoryId }) =>
    parts.codeStores.sharedObjects({ companyId, repositoryId }),
  );
  const opened = yield* Effect.result(disk.open(null, tree, objects));
  if (opened._tag === "Failure") return;
  yield* runCommands(parts)({
    kind: "archive",
    tree,
    repositories,
    trees: disk,
    // Of no run: none is live.
    step: { runId: markOf(tree.id), workspace: opened.success, stop: new AbortController().signal },
    runId: null,
    env: {},
    masked: yield* maskForIssue(parts)(tree),
  });
});

/** How many removals of a disk are carried out at the same time. */
const atOnce = 4;
const perRound = 100;

/**
 * Carries out the removals that were asked for, those of killed services included. Returns the work of each disk: an engine
 * may take minutes, for which the others do not wait.
 */
export const finishRemovals = (parts: FinishPorts & { readonly disks: WorkspaceDisks }) => {
  const finish = finishRemoval(parts);
  const round = Effect.fnUntraced(function* (disk: IssueWorkspaces) {
    const begun = yield* parts.transactor.transact((stores) => stores.trees.toRemove(disk.volume, perRound));
    // A later round finishes those that an engine which is away holds back.
    const tries = yield* Effect.forEach(begun, (treeId) => Effect.exit(Effect.ignore(finish(disk, treeId))), {
      concurrency: atOnce,
    });
    // A defect at one does not block the others.
    for (const tried of tries) yield* tried;
  });
  return () => parts.disks.all().map((disk) => Effect.suspend(() => round(disk)));
};
