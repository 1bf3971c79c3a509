import * as Effect from "effect/Effect";
import type { MergedWork, WorkspaceStepFailed } from "../../../ports/issue-workspaces.ts";
import { transactAsSystem, type UseCaseContext } from "../../access/unit-of-work.ts";
import type { IssueBranch } from "../../model/repositories/issue-branch.ts";
import type { Repository } from "../../model/repositories/repository.ts";

/**
 * Lets the issue's branch begin at its merge, once all of its commits are merged: what follows is compared with the default
 * branch as it is since, and the agent works on what others see.
 */
export const continueFromMerge = Effect.fnUntraced(function* (
  context: UseCaseContext,
  { issueId, repositoryId, head }: IssueBranch,
  { defaultBranch }: Repository,
  move: (merged: MergedWork) => Effect.Effect<boolean, WorkspaceStepFailed>,
) {
  const last = yield* context.transactor.transact(({ merges }) => merges.lastMerged(issueId, repositoryId));
  if (last === null || last.commit === null || last.fromCommit !== head || last.commit === head) return;
  const { fromCommit, commit } = last;
  if (!(yield* move({ fromCommit, commit, defaultBranch }))) return;
  yield* transactAsSystem(context, "workspaces.continueFromMerge", function* (unit) {
    const branches = yield* unit.repositories.lockBranches(issueId);
    const now = branches.find((branch) => branch.repositoryId === repositoryId);
    if (now === undefined || now.head !== fromCommit || now.baseCommit === commit) return;
    yield* unit.repositories.saveBranch({
      ...now,
      baseBranch: defaultBranch,
      baseCommit: commit,
      updatedAt: unit.at,
    });
  });
});
