import * as Effect from "effect/Effect";
import type { CodeStores } from "../../ports/code-stores.ts";
import type { Transactor } from "../../ports/transactor.ts";
import type { IssueId, RepositoryId } from "../shared/ids.ts";
import { branchesToShow, comparedWith } from "./branches-to-show.ts";
import { ChangesUnavailable, changesLimits, DiffTooLarge } from "./issue-changes.ts";
import { RepositoryNotFound } from "./repository.ts";

export interface DiffIssue {
  readonly issueId: IssueId;
  /** Default: all in which it has work. */
  readonly repositoryId?: RepositoryId | undefined;
  readonly path?: string | undefined;
  /** Where the file was before, if it was renamed. */
  readonly oldPath?: string | undefined;
}

/** Returns what an issue changes in the format of `git diff`; of several repositories each below its address. */
export const diffIssue =
  (transactor: Transactor, codeStores: CodeStores) =>
  ({ issueId, repositoryId, path, oldPath }: DiffIssue) =>
    Effect.gen(function* () {
      const paths = [oldPath, path].filter((each) => each !== undefined);
      const all = yield* branchesToShow(transactor, issueId);
      const asked = all.filter(({ repository }) => repository.id === (repositoryId ?? repository.id));
      if (repositoryId !== undefined && asked.length === 0) yield* Effect.fail(new RepositoryNotFound());
      let text = "";
      for (const shown of asked) {
        const { branch, repository } = shown;
        const patch = yield* comparedWith(codeStores, shown).pipe(
          Effect.flatMap(({ base }) =>
            codeStores.patch(
              branch,
              { base, head: branch.head },
              { paths, bytes: changesLimits.patchBytes - text.length },
            ),
          ),
          Effect.mapError(({ message }) => new ChangesUnavailable(undefined, message)),
        );
        if (patch === null) return yield* Effect.fail(new DiffTooLarge());
        text += `${asked.length > 1 ? `# ${repository.url}\n` : ""}${patch}`;
      }
      return text;
    });
