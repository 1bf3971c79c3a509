import * as Effect from "effect/Effect";
import { actAs, type UnitOfWork } from "../../access/unit-of-work.ts";
import type { Merge, RawLfsFiles } from "../../model/repositories/merge.ts";

/** Records that the host has the commit of a merge. Repeating it changes nothing. */
export const finishMerge = Effect.fnUntraced(function* (
  system: UnitOfWork,
  merge: Merge & { readonly commit: string },
  branch: string,
  rawLfsFiles: RawLfsFiles | null,
) {
  const { issueId, repositoryId, by, method, commit } = merge;
  const unit = actAs(system, by);
  const issue = yield* Effect.orDie(unit.issues.lock(issueId));
  const branches = yield* unit.repositories.lockBranches(issueId);
  if (!(yield* unit.merges.finish(merge))) return;
  const work = branches.find((each) => each.repositoryId === repositoryId);
  if (work !== undefined) {
    const { at } = unit;
    yield* unit.repositories.saveBranch({ ...work, mergedAt: at, mergeCommit: commit, updatedAt: at });
  }
  yield* unit.log("issue.merged", issue, {
    identifier: issue.identifier,
    repositoryId,
    method,
    branch,
    commit,
    ...(rawLfsFiles === null ? {} : { rawLfsFiles }),
  });
});
