import * as Effect from "effect/Effect";
import type { CodeStores } from "../../../ports/code-stores.ts";
import type { UseCaseContext } from "../../access/unit-of-work.ts";
import { changesLimits } from "../../model/repositories/issue-changes.ts";
import type { RunId } from "../../model/shared/ids.ts";
import { betweenOf, type RunChanges, worksToShow } from "./run-changes.ts";

export interface ShowRunChanges {
  readonly runId: RunId;
}

/** Returns the changes of a run, for each repository in which it left work. */
export const showRunChanges =
  (context: UseCaseContext, codeStores: CodeStores) =>
  ({ runId }: ShowRunChanges) =>
    Effect.flatMap(worksToShow(context, runId), (works) =>
      Effect.forEach(works, ({ work, url }): Effect.Effect<RunChanges> => {
        const { repositoryId, files: head, base } = work;
        const facts = { repositoryId, url, base, head, isCommitted: work.head === head };
        return betweenOf(work).pipe(
          Effect.flatMap((between) => codeStores.changes(work, between, changesLimits)),
          Effect.map(({ commits, files, isCut }) => ({
            ...facts,
            // The service's own commit of files that are not committed is none of the run's.
            commits: commits.filter(({ commit }) => facts.isCommitted || commit !== head),
            files,
            isCut,
            problem: null,
          })),
          Effect.catch(({ message: problem }) =>
            Effect.succeed({ ...facts, commits: [], files: [], isCut: false, problem }),
          ),
        );
      }),
    );
