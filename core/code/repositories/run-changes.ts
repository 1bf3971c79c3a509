import * as Effect from "effect/Effect";
import { type Between, type Changes, type Commit, StoreFailed } from "../../../ports/code-stores.ts";
import { transactAsSystem, type UseCaseContext } from "../../access/unit-of-work.ts";
import type { Repository } from "../../model/repositories/repository.ts";
import type { RepositoryId, RunId } from "../../model/shared/ids.ts";
import type { RunWork } from "../../model/workspaces/run-work.ts";

/** The changes of a run in a repository: all files that it left, against those that it began with. */
export interface RunChanges extends Pick<Repository, "url">, Omit<Changes, "base"> {
  readonly repositoryId: RepositoryId;
  /** null: not known. */
  readonly base: Commit | null;
  /** Whether all of it is committed. */
  readonly isCommitted: boolean;
  /** Why commits and files are not known: a sentence; null: they are. */
  readonly problem: string | null;
}

/** The work of a run in repositories that are still there. */
export const worksToShow = (context: UseCaseContext, runId: RunId) =>
  transactAsSystem(context, "repositories.runChanges", function* ({ issueWorkspaces, repositories }) {
    const shown: { readonly work: RunWork; readonly url: string }[] = [];
    for (const work of yield* issueWorkspaces.works(runId)) {
      // A removed one is not found.
      const found = yield* Effect.result(repositories.find(work.repositoryId));
      if (found._tag === "Success") shown.push({ work, url: found.success.url });
    }
    return shown;
  });

/** The two commits that are compared. */
export const betweenOf = ({ base, files }: RunWork): Effect.Effect<Between, StoreFailed> =>
  base === null
    ? Effect.fail(new StoreFailed("The run's starting state wasn't recorded yet at that time."))
    : Effect.succeed({ base, head: files });
