import * as Effect from "effect/Effect";
import type { Stores } from "../../../ports/transactor.ts";
import type { Actor } from "../../model/access/caller.ts";
import type { Issue } from "../../model/issues/issue.ts";
import { NothingToMerge, refusalOfMerge } from "../../model/repositories/merge.ts";
import { ValidationFailed } from "../../model/shared/failure.ts";
import type { RepositoryId } from "../../model/shared/ids.ts";

interface AskedWork {
  /** Needed where the issue has work in several. */
  readonly repositoryId?: RepositoryId | undefined;
  readonly by: Actor;
}

/** The work of an issue that the caller may get into the host's branches. */
export const chosenWork = Effect.fnUntraced(function* (
  stores: Stores,
  { by, repositoryId }: AskedWork,
  issue: Issue,
) {
  const open = yield* stores.merges.open(issue.id);
  const asked = open.filter(({ branch }) => branch.repositoryId === (repositoryId ?? branch.repositoryId));
  const grants = by.kind === "agent" ? yield* stores.grants.heldBy(by.agentId) : [];
  const refusal = refusalOfMerge(
    {
      mergeGrants: grants.filter(({ permission }) => permission === "code:merge"),
      unmergedIn: asked.map(({ branch }) => branch.repositoryId),
    },
    by,
  );
  if (refusal !== null) return yield* Effect.fail(refusal);
  const [work, other] = asked;
  if (work === undefined) return yield* Effect.fail(new NothingToMerge());
  if (other !== undefined)
    return yield* Effect.fail(
      new ValidationFailed([
        {
          path: ["repositoryId"],
          code: "required",
          message: "is required when the issue has changes in several repositories",
        },
      ]),
    );
  return work;
});
