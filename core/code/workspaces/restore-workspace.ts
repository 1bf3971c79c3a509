import * as Effect from "effect/Effect";
import { useCase } from "../../access/unit-of-work.ts";
import type { Actor } from "../../model/access/caller.ts";
import type { RunId, WorkspaceId } from "../../model/shared/ids.ts";
import { WorkNotKept, WorkspaceNotFound } from "../../model/workspaces/removal.ts";
import { newestCapture, refusalOfRestore } from "../../model/workspaces/workspace-actions.ts";

export interface RestoreWorkspace {
  readonly treeId: WorkspaceId;
  /** The run with the kept work that the issue continues; the newest by default. */
  readonly runId?: RunId | undefined;
  readonly by: Actor;
}

/**
 * Lets the issue's next run begin from kept work: its workspace is made anew from it, and the issue is no longer abandoned.
 * The kept work of other runs stays.
 */
export const restoreWorkspace = useCase("trees.restore", function* (unit, command: RestoreWorkspace) {
  const found = yield* unit.trees.find(command.treeId);
  if (found === null) return yield* Effect.fail(new WorkspaceNotFound());
  const branches = yield* unit.repositories.lockBranches(found.issueId);
  const tree = yield* unit.trees.lock(command.treeId);
  if (tree === null) return yield* Effect.fail(new WorkspaceNotFound());
  const runId = command.runId ?? newestCapture(branches);
  const no = refusalOfRestore({ tree, branches }, runId);
  if (no !== null) return yield* Effect.fail(no);
  const { at } = unit;
  const works = runId === null ? [] : yield* unit.trees.works(runId);
  const isOfIssue = works.length > 0 && works.every(({ issueId }) => issueId === tree.issueId);
  if (runId === null || !isOfIssue) return yield* Effect.fail(new WorkNotKept({ path: ["runId"] }));
  for (const branch of branches) {
    const work = works.find(({ repositoryId }) => repositoryId === branch.repositoryId);
    if (work !== undefined)
      yield* unit.repositories.saveBranch({
        ...branch,
        keptRunId: runId,
        givenUpAt: null,
        updatedAt: at,
      });
  }
  const { isTaken: _, ...rest } = tree;
  yield* unit.trees.save({ ...rest, stateRunId: null, madeAt: null });
  yield* unit.log("workspace.restored", tree, { issueId: tree.issueId, runId });
  return rest;
});
