import * as Effect from "effect/Effect";
import type { CodeStores, Commit, StoreOf } from "../../../ports/code-stores.ts";
import type { UseCaseContext } from "../../access/unit-of-work.ts";

export interface SquashPorts extends Pick<UseCaseContext, "transactor"> {
  readonly codeStores: CodeStores;
}

/**
 * The commits of `from` whose changes `onto` has by a merge that left no trace in git's history: a squash, of this issue
 * or of one that its work builds on. Without them git would merge these changes a second time.
 */
export const squashedBefore = Effect.fnUntraced(function* (
  { codeStores, transactor }: SquashPorts,
  of: StoreOf,
  onto: Commit,
  from: Commit,
) {
  const commits = yield* codeStores.commitsSince(of, onto, from);
  if (commits.length === 0) return [];
  const merges = yield* transactor.transact((stores) => stores.merges.madeOf(of.repositoryId, commits));
  const squashed: Commit[] = [];
  for (const { fromCommit, commit } of merges) {
    // People may have taken it out of the branch again.
    const isThere = codeStores.isAncestor(of, commit, onto).pipe(Effect.orElseSucceed(() => false));
    if (yield* isThere) squashed.push(fromCommit);
  }
  return squashed;
});
