import * as Effect from "effect/Effect";
import type { CodeStores } from "../../../ports/code-stores.ts";
import type { UseCaseContext } from "../../access/unit-of-work.ts";
import { RepositoryNotFound } from "../../model/repositories/repository.ts";
import type { RepositoryId, RunId } from "../../model/shared/ids.ts";
import { joinedPatches } from "./joined-patches.ts";
import { betweenOf, worksToShow } from "./run-changes.ts";

export interface DiffRun {
  readonly runId: RunId;
  /** Default: all in which it left work. */
  readonly repositoryId?: RepositoryId | undefined;
  readonly path?: string | undefined;
  /** Where the file was before, if it was renamed. */
  readonly oldPath?: string | undefined;
}

/** Returns the difference that a run made in the format of `git diff`. */
export const diffRun =
  (context: UseCaseContext, codeStores: CodeStores) =>
  ({ runId, repositoryId, path, oldPath }: DiffRun) =>
    Effect.gen(function* () {
      const works = yield* worksToShow(context, runId);
      const asked = works.filter(({ work }) => work.repositoryId === (repositoryId ?? work.repositoryId));
      if (repositoryId !== undefined && asked.length === 0) yield* Effect.fail(new RepositoryNotFound());
      return yield* joinedPatches(
        codeStores,
        asked.map(({ work, url }) => ({ of: work, url, between: betweenOf(work) })),
        [oldPath, path].filter((each) => each !== undefined),
      );
    });
