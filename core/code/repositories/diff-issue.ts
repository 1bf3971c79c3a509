import * as Effect from "effect/Effect";
import { RepositoryNotFound } from "../../model/repositories/repository.ts";
import type { IssueId, RepositoryId } from "../../model/shared/ids.ts";
import { branchesToShow, comparedOnceBrought } from "./branches-to-show.ts";
import type { BringPorts } from "./bring-work.ts";
import { joinedPatches } from "./joined-patches.ts";

export interface DiffIssue {
  readonly issueId: IssueId;
  /** Default: all in which it has work. */
  readonly repositoryId?: RepositoryId | undefined;
  readonly path?: string | undefined;
  /** Where the file was before, if it was renamed. */
  readonly oldPath?: string | undefined;
}

/** Returns what an issue changes in the format of `git diff`; of several repositories each below its address. */
export const diffIssue = (parts: BringPorts) => {
  const { codeStores } = parts;
  const compared = comparedOnceBrought(parts);
  return ({ issueId, repositoryId, path, oldPath }: DiffIssue) =>
    Effect.gen(function* () {
      const paths = [oldPath, path].filter((each) => each !== undefined);
      const all = yield* branchesToShow(parts, issueId);
      const asked = all.filter(({ repository }) => repository.id === (repositoryId ?? repository.id));
      if (repositoryId !== undefined && asked.length === 0) yield* Effect.fail(new RepositoryNotFound());
      return yield* joinedPatches(
        codeStores,
        asked.map((shown) => ({
          of: shown.branch,
          url: shown.repository.url,
          between: Effect.map(compared(shown), ({ base }) => ({
            base,
            head: shown.branch.head,
          })),
        })),
        paths,
      );
    });
};
