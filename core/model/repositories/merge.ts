import { type Actor, type RunIdRequired, refusalWithoutRun } from "../access/caller.ts";
import type { Grant } from "../approvals/grant.ts";
import { NotAllowed, refusal } from "../shared/failure.ts";
import type { CompanyId, IssueId, MergeId, RepositoryId } from "../shared/ids.ts";
import type { Instant } from "../shared/instant.ts";
import { oneLine } from "../shared/sentence.ts";
import { authorOf, trailersOf } from "./authorship.ts";
import type { IssueBranch } from "./issue-branch.ts";
import type { Repository } from "./repository.ts";

export const mergeMethods = ["fast_forward", "merge", "squash"] as const;
export type MergeMethod = (typeof mergeMethods)[number];

export const mergeStates = ["running", "merged", "failed"] as const;

/** An attempt to merge the work of an issue into the default branch at the host. */
export interface Merge {
  readonly id: MergeId;
  readonly companyId: CompanyId;
  readonly issueId: IssueId;
  readonly repositoryId: RepositoryId;
  /** `pull_request`: people merged it at the host. */
  readonly method: MergeMethod | "pull_request";
  /** The head of the issue's branch. */
  readonly fromCommit: string;
  /** The head of the default branch that it is merged into; null: not known yet. */
  readonly ontoCommit: string | null;
  /** The commit that is pushed, noted before the push; null: not made yet. */
  readonly commit: string | null;
  readonly state: (typeof mergeStates)[number];
  readonly by: Actor;
  readonly createdAt: Instant;
}

/** Files that `.gitattributes` assigns to Git LFS but that were committed as content instead of a pointer. */
export interface RawLfsFiles {
  /** Their paths; long lists are cut. */
  readonly files: readonly string[];
  readonly count: number;
  /** More files differ than were examined. */
  readonly isCut: boolean;
}

/** Unmerged work and its agent; null: no longer known. */
export interface OpenWork {
  readonly branch: IssueBranch & { readonly head: string };
  readonly agent: { readonly name: string; readonly urlKey: string } | null;
}

export class NothingToMerge extends refusal(
  "nothing_to_merge",
  "conflict",
  "The issue has no new commits to merge. Uncommitted files aren't merged.",
) {}

/** Details: `{ files }`, at most 100 paths. */
export class NothingCommitted extends refusal(
  "nothing_committed",
  "conflict",
  "There are no new commits to merge, only uncommitted files. See the details for the files.",
) {}

/** Details: `{ branch, from, defaultBranch, onto, files, messages }`, both sides with their commits. */
export class MergeConflicted extends refusal(
  "merge_conflict",
  "conflict",
  "The branch has conflicts with the default branch. See the details for the files.",
) {}

export class NotFastForward extends refusal(
  "not_fast_forward",
  "conflict",
  "The default branch has new commits, so it can't be fast-forwarded. Merge or squash instead.",
) {}

export class RepositoryBusy extends refusal(
  "repository_busy",
  "conflict",
  "The default branch is being changed by someone else. Try again.",
) {}

/** The grants of agents to merge, and the repositories in which the issue has work to merge. */
export interface MergeFacts {
  readonly mergeGrants: readonly Pick<Grant, "agentId" | "classes">[];
  readonly unmergedIn: readonly RepositoryId[];
}

/** Returns why nothing is merged, or null: an agent needs a grant for the repository, or for all. */
export const refusalOfMerge = (
  { mergeGrants, unmergedIn }: MergeFacts,
  by: Actor,
): RunIdRequired | NotAllowed | NothingToMerge | null => {
  const refused = refusalWithoutRun(by);
  if (refused !== null) return refused;
  const covers = ({ agentId, classes }: MergeFacts["mergeGrants"][number]) =>
    by.kind === "agent" &&
    agentId === by.agentId &&
    (unmergedIn.length === 0 || classes.includes("all") || unmergedIn.some((id) => classes.includes(id)));
  if (by.kind === "agent" && !mergeGrants.some(covers))
    return new NotAllowed(undefined, "Agents need a code:merge grant for this repository to merge.");
  return unmergedIn.length === 0 ? new NothingToMerge() : null;
};

/** The author and the text of the commit of a merge, with the issue, the agent and the run as trailers. */
export const commitOf = (
  method: MergeMethod,
  issue: { readonly identifier: string; readonly title: string },
  { agent, branch }: OpenWork,
  repository: Repository,
) => {
  const { identifier, title } = issue;
  const trailers = trailersOf(identifier, agent, branch.capturedRunId);
  return {
    message: `${method === "merge" ? "Merge " : ""}${identifier}: ${oneLine(title)}\n\n${trailers.join("\n")}\n`,
    author: authorOf(repository, agent),
  };
};
