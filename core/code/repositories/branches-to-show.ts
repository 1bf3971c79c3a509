import * as Effect from "effect/Effect";
import { StoreFailed } from "../../../ports/code-stores.ts";
import { transactAsSystem, type UseCaseContext } from "../../access/unit-of-work.ts";
import type { IssueBranch } from "../../model/repositories/issue-branch.ts";
import type { Merge } from "../../model/repositories/merge.ts";
import type { Repository } from "../../model/repositories/repository.ts";
import type { IssueId } from "../../model/shared/ids.ts";
import { type BringPorts, bringWork } from "./bring-work.ts";
import { type SquashPorts, squashedBefore } from "./squashed-before.ts";

/** Work of an issue that can be shown. */
export interface BranchToShow {
  readonly branch: IssueBranch & { readonly head: string };
  readonly repository: Repository;
  /** The merge that got in what it has now; null: none. */
  readonly merge: Merge | null;
  /** The newest merge, whatever it has now; null: none. */
  readonly lastMerge: Merge | null;
}

/** The branches of an issue on which a run has left something. */
export const branchesToShow = (context: UseCaseContext, issueId: IssueId) =>
  transactAsSystem(context, "repositories.changes", function* ({ repositories, merges }) {
    const shown: BranchToShow[] = [];
    for (const branch of yield* repositories.branchesOf(issueId)) {
      const { head, repositoryId } = branch;
      if (head === null) continue;
      const repository = yield* Effect.orDie(repositories.find(repositoryId));
      const last = yield* merges.lastMerged(issueId, repositoryId);
      shown.push({
        branch: { ...branch, head },
        repository,
        merge: last?.fromCommit === head ? last : null,
        lastMerge: last,
      });
    }
    return shown;
  });

/** Where an issue's own work begins: the merge base with the default branch, which merging it would otherwise move. */
export const comparedWith = Effect.fnUntraced(function* (
  ports: SquashPorts,
  { branch, repository, merge }: BranchToShow,
) {
  const { codeStores } = ports;
  const target = yield* codeStores.head(branch, repository.defaultBranch);
  if (target === null)
    return yield* Effect.fail(
      new StoreFailed(`The repository had no branch ${repository.defaultBranch} when it was last fetched.`),
    );
  const against = merge?.ontoCommit ?? target;
  const squashed = yield* squashedBefore(ports, branch, against, branch.head);
  const base =
    (yield* codeStores.mergeBase(branch, branch.head, [against, ...squashed])) ?? branch.baseCommit;
  return { target, base, squashed };
});

/** As `comparedWith`, also where another service's disk has the work, or a restored backup alone. */
export const comparedOnceBrought = (parts: BringPorts) => {
  const bring = bringWork(parts);
  return (shown: BranchToShow) => {
    const compared = comparedWith(parts, shown);
    return Effect.catch(compared, () => Effect.andThen(bring(shown.branch), compared));
  };
};
