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
 * Carries out a removal, as the row of the workspace says: its archive commands, then its folder goes to the trash. It may be
 * repeated, also by several services; nothing is done where another one does it. One that was killed is followed by the next.
 */
export const finishRemoval = (parts: FinishPorts) => {
  const { transactor, clock } = parts;

  const finish = Effect.fnUntraced(function* (disk: IssueWorkspaces, workspaceId: WorkspaceId) {
    const at = clock.now();
    const times = { at, before: addMillis(at, -workLease.leaseSec * 1_000) };
    const workspace = yield* transactor.transact((stores) =>
      stores.issueWorkspaces.takeRemoval(workspaceId, times),
    );
    if (workspace === null || workspace.removalId === null) return;
    const { removalId } = workspace;
    const renew = renewLease(
      Effect.suspend(() =>
        transactor.transact((stores) =>
          stores.issueWorkspaces.renewRemoval(workspaceId, removalId, clock.now()),
        ),
      ).pipe(Effect.as(true)),
    );
    yield* Effect.raceFirst(
      Effect.andThen(archive(parts, disk, workspace), disk.discard(workspace, removalId)),
      renew,
    );
    yield* transactAsSystem(parts, "workspaces.finishRemoval", function* (unit) {
      const now = yield* unit.issueWorkspaces.lock(workspaceId);
      if (now?.removalId !== removalId) return;
      const { isInUse, ...rest } = now;
      // A run that waits for its end has the ports.
      const firstPort = isInUse ? rest.firstPort : null;
      yield* unit.issueWorkspaces.save({ ...rest, removalId: null, firstPort, triedAt: null });
    });
  });

  return (disk: IssueWorkspaces, workspaceId: WorkspaceId) =>
    parts.oneAtATime(`removal of ${workspaceId}`, finish(disk, workspaceId));
};

/** Nothing waits for what the archive commands do: the workspace goes in any case. */
const archive = Effect.fnUntraced(function* (
  parts: FinishPorts,
  disk: IssueWorkspaces,
  workspace: IssueWorkspace,
) {
  const cloned = yield* parts.transactor.transact(({ repositories }) =>
    Effect.forEach(workspace.clones, ({ repositoryId }) => Effect.result(repositories.find(repositoryId))),
  );
  const repositories = cloned.flatMap((one) => (one._tag === "Success" ? one.success : []));
  if (repositories.every(({ archiveCommand }) => archiveCommand === null)) return;
  if (!(yield* disk.isThere(workspace))) return;
  // Commands of a killed service work in it still.
  yield* disk.endOrphanSteps(markOf(workspace.id));
  const { companyId } = workspace;
  const objects = workspace.clones.map(({ repositoryId }) =>
    parts.codeStores.sharedObjects({ companyId, repositoryId }),
  );
  const opened = yield* Effect.result(disk.open(null, workspace, objects));
  if (opened._tag === "Failure") return;
  yield* runCommands(parts)({
    kind: "archive",
    workspace,
    repositories,
    issueWorkspaces: disk,
    // Of no run: none is live.
    step: { runId: markOf(workspace.id), workspace: opened.success, stop: new AbortController().signal },
    runId: null,
    env: {},
    masked: yield* maskForIssue(parts)(workspace),
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
    const begun = yield* parts.transactor.transact((stores) =>
      stores.issueWorkspaces.toRemove(disk.volume, perRound),
    );
    // A later round finishes those that an engine which is away holds back.
    const tries = yield* Effect.forEach(
      begun,
      (workspaceId) => Effect.exit(Effect.ignore(finish(disk, workspaceId))),
      {
        concurrency: atOnce,
      },
    );
    // A defect at one does not block the others.
    for (const tried of tries) yield* tried;
  });
  return () => parts.disks.all().map((disk) => Effect.suspend(() => round(disk)));
};
