import * as Effect from "effect/Effect";
import type { WorkspaceDisks } from "../../../ports/issue-workspaces.ts";
import { transact } from "../../access/unit-of-work.ts";
import type { Actor } from "../../model/access/caller.ts";
import type { WorkspaceId } from "../../model/shared/ids.ts";
import { WorkspaceNotFound, WorkspaceStays } from "../../model/workspaces/removal.ts";
import { refusalOfRemoval } from "../../model/workspaces/workspace-actions.ts";
import { type FinishPorts, finishRemoval } from "./finish-removal.ts";

export interface RemoveWorkspace {
  readonly workspaceId: WorkspaceId;
  /** A person abandons what is in no branch, and accepts the loss of what is not kept. */
  readonly abandon?: boolean | undefined;
  /** Long after its issue was closed. */
  readonly isRetention?: boolean;
  readonly by: Actor;
}

export interface RemovePorts extends FinishPorts {
  readonly disks: WorkspaceDisks;
}

/**
 * Removes the folder of a workspace; its kept work stays, and the issue's next run makes it again. The removal is recorded
 * before the folder is moved: where archive commands come first, or an engine deletes it, the background carries it out
 * (`finishRemovals`), also that of a killed service.
 */
export const removeWorkspace = (parts: RemovePorts) => {
  const { disks } = parts;
  const finish = finishRemoval(parts);
  return Effect.fnUntraced(function* ({
    workspaceId,
    abandon = false,
    isRetention = false,
    by,
  }: RemoveWorkspace) {
    const removed = yield* transact(parts, "workspaces.remove", by, function* (unit) {
      const found = yield* unit.issueWorkspaces.find(workspaceId);
      if (found === null) return yield* Effect.fail(new WorkspaceNotFound());
      const branches = yield* unit.repositories.lockBranches(found.issueId);
      const workspace = yield* unit.issueWorkspaces.lock(workspaceId);
      if (workspace === null) return yield* Effect.fail(new WorkspaceNotFound());
      const disk = disks.of(workspace.volume);
      if (disk === null)
        return yield* Effect.fail(
          new WorkspaceStays(
            { reason: "elsewhere" },
            "It's on another host's disk, or on an engine this service has no runner for. Use a service there.",
          ),
        );
      const works = yield* unit.issueWorkspaces.works(workspace.runId);
      const refusal = refusalOfRemoval(
        { workspace, branches, works },
        abandon ? "abandoning" : isRetention ? "retention" : "request",
      );
      if (refusal !== null) return yield* Effect.fail(refusal);
      const { at } = unit;
      if (abandon && workspace.agentId === null)
        for (const branch of branches)
          if (branch.mergedAt === null)
            yield* unit.repositories.saveBranch({ ...branch, abandonedAt: at, updatedAt: at });
      const { isInUse: _, ...rest } = workspace;
      yield* unit.issueWorkspaces.save({
        ...rest,
        madeAt: null,
        uncapturedRunId: null,
        problem: null,
        triedAt: null,
        removalId: unit.newId(),
        bytes: null,
      });
      yield* unit.log("workspace.removed", workspace, {
        issueId: workspace.issueId,
        abandoned: abandon,
        ...(workspace.uncapturedRunId === null ? {} : { lostWorkOfRun: workspace.uncapturedRunId }),
      });
      const cloned = yield* Effect.forEach(workspace.clones, ({ repositoryId }) =>
        Effect.result(unit.repositories.find(repositoryId)),
      );
      const isArchived = cloned.some((one) => one._tag === "Success" && one.success.archiveCommand !== null);
      return { ...rest, disk, isAtOnce: disk.discardsAtOnce && !isArchived };
    });
    if (removed.isAtOnce) yield* Effect.ignore(finish(removed.disk, workspaceId));
    return removed;
  });
};
