import * as Effect from "effect/Effect";
import type { Stores } from "../../../ports/transactor.ts";
import { logAction } from "../../access/log-action.ts";
import type { Merge } from "../../model/repositories/merge.ts";
import type { Instant } from "../../model/shared/instant.ts";

/** Records that the host has the commit of a merge. Repeating it changes nothing. */
export const finishMerge = Effect.fnUntraced(function* (
  stores: Stores,
  merge: Merge & { readonly commit: string },
  branch: string,
  at: Instant,
) {
  const { issueId, repositoryId, companyId, by, method, commit } = merge;
  const { identifier } = yield* Effect.orDie(stores.issues.lock(issueId));
  const branches = yield* stores.repositories.lockBranches(issueId);
  if (!(yield* stores.merges.finish(merge))) return;
  const work = branches.find((each) => each.repositoryId === repositoryId);
  if (work !== undefined)
    yield* stores.repositories.saveBranch({ ...work, mergedAt: at, mergeCommit: commit, updatedAt: at });
  yield* logAction(stores, { companyId, id: issueId }, by, at, "issue.merged", {
    identifier,
    repositoryId,
    method,
    branch,
    commit,
  });
});
