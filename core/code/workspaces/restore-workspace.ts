import * as Effect from "effect/Effect";
import { useCase } from "../../access/unit-of-work.ts";
import type { Actor } from "../../model/access/caller.ts";
import type { RunId, WorkspaceId } from "../../model/shared/ids.ts";
import { WorkNotCaptured, WorkspaceNotFound } from "../../model/workspaces/removal.ts";
import { newestCapture, refusalOfRestore } from "../../model/workspaces/workspace-actions.ts";

export interface RestoreWorkspace {
  readonly workspaceId: WorkspaceId;
  /** The run with the kept work that the issue continues; the newest by default. */
  readonly runId?: RunId | undefined;
  readonly by: Actor;
}

/**
 * Lets the issue's next run begin from kept work: its workspace is made anew from it, and the issue is no longer abandoned.
 * The kept work of other runs stays.
 */
export const restoreWorkspace = useCase("workspaces.restore", function* (unit, command: RestoreWorkspace) {
  const found = yield* unit.issueWorkspaces.find(command.workspaceId);
  if (found === null) return yield* Effect.fail(new WorkspaceNotFound());
  const branches = yield* unit.repositories.lockBranches(found.issueId);
  const workspace = yield* unit.issueWorkspaces.lock(command.workspaceId);
  if (workspace === null) return yield* Effect.fail(new WorkspaceNotFound());
  const runId = command.runId ?? newestCapture(branches);
  const refusal = refusalOfRestore({ workspace, branches }, runId);
  if (refusal !== null) return yield* Effect.fail(refusal);
  const { at } = unit;
  const works = runId === null ? [] : yield* unit.issueWorkspaces.works(runId);
  const isOfIssue = works.length > 0 && works.every(({ issueId }) => issueId === workspace.issueId);
  if (runId === null || !isOfIssue) return yield* Effect.fail(new WorkNotCaptured({ path: ["runId"] }));
  for (const branch of branches) {
    const work = works.find(({ repositoryId }) => repositoryId === branch.repositoryId);
    if (work !== undefined)
      yield* unit.repositories.saveBranch({
        ...branch,
        capturedRunId: runId,
        abandonedAt: null,
        updatedAt: at,
      });
  }
  const { isInUse: _, ...rest } = workspace;
  yield* unit.issueWorkspaces.save({ ...rest, stateRunId: null, madeAt: null });
  yield* unit.log("workspace.restored", workspace, { issueId: workspace.issueId, runId });
  return rest;
});
