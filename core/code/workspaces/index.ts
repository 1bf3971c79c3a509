import type { Views } from "../../../ports/views.ts";
import type { UseCaseContext } from "../../access/unit-of-work.ts";
import { captureWorkspace } from "./capture-workspace.ts";
import { endAtCommit } from "./end-at-commit.ts";
import { finishRemovals } from "./finish-removal.ts";
import { type PreparePorts, prepareWorkspace } from "./prepare-workspace.ts";
import { type RemovePorts, removeWorkspace } from "./remove-workspace.ts";
import { repairPacks } from "./repair-packs.ts";
import { restoreWorkspace } from "./restore-workspace.ts";
import { retryCaptures } from "./retry-captures.ts";
import { type AtCommitPorts, runAtCommit } from "./run-at-commit.ts";
import { showWorkspace } from "./show-workspace.ts";
import { sweepWorkspaces } from "./sweep-workspaces.ts";

/** The use cases of issues' workspaces. */
export const issueWorkspaces = (
  context: UseCaseContext,
  others: Omit<PreparePorts & RemovePorts & AtCommitPorts, keyof UseCaseContext | "keep">,
  views: Views,
) => {
  const keep = captureWorkspace({ ...context, ...others });
  const ports = { ...context, ...others, keep };
  return {
    ...showWorkspace(views.issueWorkspaces),
    prepare: prepareWorkspace(ports),
    keep,
    retryCaptures: retryCaptures(ports),
    repairPacks: repairPacks(ports),
    remove: removeWorkspace(ports),
    finishRemovals: finishRemovals(ports),
    restore: restoreWorkspace(context),
    runAtCommit: runAtCommit(ports),
    endAtCommit: endAtCommit(ports),
    sweep: sweepWorkspaces(ports),
  };
};

export type IssueWorkspaceUseCases = ReturnType<typeof issueWorkspaces>;
