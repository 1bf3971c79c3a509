import * as Effect from "effect/Effect";
import type { Changes, Commit } from "../../../ports/code-stores.ts";
import type { IssueBranch } from "../../model/repositories/issue-branch.ts";
import { changesLimits } from "../../model/repositories/issue-changes.ts";
import type { Repository } from "../../model/repositories/repository.ts";
import type { IssueId } from "../../model/shared/ids.ts";
import type { Instant } from "../../model/shared/instant.ts";
import { type BranchToShow, branchesToShow, comparedOnceBrought } from "./branches-to-show.ts";
import type { BringPorts } from "./bring-work.ts";
import { uncommittedFiles } from "./uncommitted-files.ts";

/** The changes of an issue in a repository, compared with the default branch as it was fetched last. */
export interface IssueChanges
  extends Pick<IssueBranch, "repositoryId" | "branch" | "publishedAt" | "mergedAt" | "mergeCommit">,
    Pick<Repository, "url" | "defaultBranch" | "hostKind">,
    Omit<Changes, "base"> {
  /** The newest merge, also where it has new work since; null: none. */
  readonly lastMerge: LastMerge | null;
  /** Paths that its newest run left uncommitted, at most 100. */
  readonly uncommitted: readonly string[];
  /** null: it could not be found. */
  readonly base: Commit | null;
  /** Why it cannot be merged as it is; null: it can, or has been. */
  readonly conflicts: { readonly files: readonly string[]; readonly messages: string } | null;
  /** Why commits, files and conflicts are not known: a sentence; null: they are. */
  readonly problem: string | null;
}

interface LastMerge {
  readonly commit: Commit;
  readonly at: Instant;
  /** How many commits it got in; null: no longer known. */
  readonly commits: number | null;
}

export interface ShowChanges {
  readonly issueId: IssueId;
}

/** Returns what an issue changes, for each repository in which it has work. */
export const showChanges = (parts: BringPorts) => {
  const changes = changesOf(parts);
  return ({ issueId }: ShowChanges) =>
    branchesToShow(parts, issueId).pipe(Effect.flatMap((branches) => Effect.forEach(branches, changes)));
};

const changesOf = (parts: BringPorts) => {
  const { codeStores } = parts;
  const compared = comparedOnceBrought(parts);
  const uncommittedOf = uncommittedFiles(parts);
  const lastMergeOf = Effect.fnUntraced(function* (shown: BranchToShow) {
    const { branch, lastMerge } = shown;
    if (lastMerge === null || lastMerge.commit === null || branch.mergedAt === null) return null;
    const merged = { ...shown, branch: { ...branch, head: lastMerge.fromCommit }, merge: lastMerge };
    const commits = yield* compared(merged).pipe(
      Effect.flatMap(({ base }) => codeStores.commitsSince(branch, base, lastMerge.fromCommit)),
      Effect.map((all): number | null => all.length),
      Effect.orElseSucceed(() => null),
    );
    return { commit: lastMerge.commit, at: branch.mergedAt, commits } satisfies LastMerge;
  });
  return (shown: BranchToShow): Effect.Effect<IssueChanges> => {
    const { branch, repository, merge } = shown;
    const { repositoryId, publishedAt, head } = branch;
    const mergedAt = merge === null ? null : branch.mergedAt;
    const mergeCommit = merge?.commit ?? null;
    const { url, defaultBranch, hostKind } = repository;
    const facts = {
      repositoryId,
      url,
      branch: branch.branch,
      defaultBranch,
      hostKind,
      publishedAt,
      mergedAt,
      mergeCommit,
    };
    const inStore = Effect.gen(function* () {
      const { target: onto, base, squashed } = yield* compared(shown);
      const changes = yield* codeStores.changes(branch, { base, head }, changesLimits);
      const tried =
        merge === null ? yield* codeStores.tryMerge(branch, { onto, from: head, squashed }) : null;
      const conflicts = tried?.kind === "conflict" ? { files: tried.files, messages: tried.messages } : null;
      return { ...facts, ...changes, conflicts, problem: null };
    }).pipe(
      Effect.catch(({ message: problem }) =>
        Effect.succeed({
          ...facts,
          head,
          base: null,
          commits: [],
          files: [],
          isCut: false,
          conflicts: null,
          problem,
        }),
      ),
    );
    return Effect.gen(function* () {
      return {
        ...(yield* inStore),
        lastMerge: yield* lastMergeOf(shown),
        uncommitted: yield* uncommittedOf(branch),
      };
    });
  };
};
