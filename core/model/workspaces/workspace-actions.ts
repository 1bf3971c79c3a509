import { callerMayOf } from "../access/caller-may.ts";
import type { IssueBranch } from "../repositories/issue-branch.ts";
import type { RunId } from "../shared/ids.ts";
import {
  type RemovalFacts,
  type StayReason,
  WorkNotCaptured,
  WorkspaceStays,
  whyItStays,
} from "./removal.ts";

/** The facts on which the actions on a workspace depend. */
export interface WorkspaceFacts extends RemovalFacts {
  readonly branches: readonly (RemovalFacts["branches"][number] & Pick<IssueBranch, "capturedRunId">)[];
}

const refusedBy = (why: StayReason | null): WorkspaceStays | null =>
  why === null ? null : new WorkspaceStays({ reason: why.code }, why.message);

/** Returns why the workspace is not removed, or null. A call may meet a service that does not have its disk. */
export const refusalOfRemoval = (
  facts: RemovalFacts,
  by: "request" | "retention" | "abandoning",
): WorkspaceStays | null => refusedBy(whyItStays(facts, by));

/** The run whose work the issue continues. */
export const newestCapture = (branches: WorkspaceFacts["branches"]): RunId | null =>
  branches.find(({ capturedRunId }) => capturedRunId !== null)?.capturedRunId ?? null;

/** Returns why the workspace cannot be restored, or null: files that are not captured would be lost. */
export const refusalOfRestore = (
  { workspace, branches }: Pick<WorkspaceFacts, "workspace" | "branches">,
  runId = newestCapture(branches),
): WorkspaceStays | WorkNotCaptured | null => {
  const why = whyItStays({ workspace, branches, works: [] }, "restoring");
  if (why !== null && why.code !== "no_folder") return refusedBy(why);
  return runId === null ? new WorkNotCaptured({ path: ["runId"] }) : null;
};

/** The actions that a reader may take on a workspace. */
export const workspaceActions = callerMayOf<"workspace", WorkspaceFacts>("workspace", {
  restore: (facts) => refusalOfRestore(facts),
  remove: (facts) => refusalOfRemoval(facts, "request"),
  abandon: (facts) => refusalOfRemoval(facts, "abandoning"),
});
