import type { IssueBranch } from "../repositories/issue-branch.ts";
import { refusal } from "../shared/failure.ts";
import type { LockedWorkspace } from "./issue-workspace.ts";
import type { RunWork } from "./run-work.ts";

/** The facts that decide whether a workspace may go. */
export interface RemovalFacts {
  readonly workspace: Pick<
    LockedWorkspace,
    "agentId" | "isInUse" | "madeAt" | "problem" | "removalId" | "uncapturedRunId"
  >;
  /** Of its issue. */
  readonly branches: readonly Pick<IssueBranch, "head" | "publishedAt" | "mergedAt" | "abandonedAt">[];
  /** The captured work that its files are, for each repository. */
  readonly works: readonly Pick<RunWork, "head" | "files" | "leftOut">[];
}

/** Why a workspace stays, for programs, with a sentence for people. */
export interface StayReason {
  readonly code: "no_folder" | "in_use" | "unkept" | "left_out" | "unfinished";
  readonly message: string;
}

export class WorkspaceNotFound extends refusal("workspace_not_found", "not_found", "Workspace not found.") {}

/** Details: `{ reason }`; the sentence says what to do. */
export class WorkspaceStays extends refusal(
  "workspace_stays",
  "conflict",
  "The workspace can't be removed.",
) {}

/** Details: `{ path }`. */
export class WorkNotCaptured extends refusal(
  "work_not_kept",
  "unprocessable",
  "No work of this run was saved for this issue.",
) {}

const abandonHint = "You can abandon it (abandon).";

/**
 * Returns why a workspace is not removed; null: it may be. `retention`, long after its issue was closed, removes captured work
 * only. A person who abandons it also accepts the loss of what was not captured: files that were left out, and everything of a
 * run whose capture failed. Restoring another state requires that everything is captured.
 */
export const whyItStays = (
  { workspace, branches, works }: RemovalFacts,
  by: "request" | "retention" | "abandoning" | "restoring",
): StayReason | null => {
  if (workspace.madeAt === null)
    return {
      code: "no_folder",
      message: workspace.removalId === null ? "It has no folder on disk." : "It is being removed.",
    };
  if (workspace.isInUse) return { code: "in_use", message: "A run is using it." };
  // Otherwise work that cannot be captured, as an attempt has shown, would block the issue for good.
  const wasTried = workspace.problem !== null;
  if (workspace.uncapturedRunId !== null && !(by === "abandoning" && wasTried))
    return {
      code: "unkept",
      message: [
        `The work of run ${workspace.uncapturedRunId} isn't saved yet. Boardroom retries every ten minutes and before the issue's next run.`,
        ...(wasTried ? [workspace.problem, "You can abandon it (abandon), which loses that work."] : []),
      ].join(" "),
    };
  if (by === "abandoning" || by === "restoring") return null;
  const leftOut = works.flatMap((work) => work.leftOut);
  if (leftOut.length > 0)
    return {
      code: "left_out",
      message: `${leftOut.length} of its files aren't saved, such as ${leftOut[0]!.path}. ${abandonHint}`,
    };
  if (by === "retention") return null;
  const isClean = works.every(({ head, files }) => head === files);
  const isFinished = branches.every(
    ({ head, publishedAt, mergedAt, abandonedAt }) =>
      mergedAt !== null || abandonedAt !== null || head === null || (isClean && publishedAt !== null),
  );
  return workspace.agentId === null && isFinished && isClean
    ? null
    : {
        code: "unfinished",
        message: `Its work is saved, but not merged or fully on the issue's branch. ${abandonHint}`,
      };
};
