import * as Effect from "effect/Effect";
import type { CodeStores } from "../../../ports/code-stores.ts";
import type { UseCaseContext } from "../../access/unit-of-work.ts";
import type { IssueBranch } from "../../model/repositories/issue-branch.ts";
import { NothingCommitted, NothingToMerge } from "../../model/repositories/merge.ts";
import type { IssueId, RepositoryId } from "../../model/shared/ids.ts";
import { oneLine } from "../../model/shared/sentence.ts";
import { type MaskPorts, maskForIssue } from "../../secrets/mask-for-agents.ts";

interface UncommittedPorts extends Pick<UseCaseContext, "transactor"> {
  readonly codeStores: CodeStores;
}

const filesMost = 100;
const namedMost = 10;

/** The paths of files that the newest captured run left without a commit, at most 100. Without its work none are known. */
export const uncommittedFiles = ({ transactor, codeStores }: UncommittedPorts) =>
  Effect.fnUntraced(function* (branch: Pick<IssueBranch, "companyId" | "repositoryId" | "capturedRunId">) {
    const { capturedRunId, repositoryId } = branch;
    if (capturedRunId === null) return [];
    const work = yield* transactor.transact(({ issueWorkspaces }) =>
      issueWorkspaces.work(capturedRunId, repositoryId),
    );
    if (work === null || work.files === work.head) return [];
    const between = { base: work.head, head: work.files };
    return yield* codeStores.changes(branch, between, { files: filesMost }).pipe(
      Effect.map(({ files }) => files.map(({ path }) => path)),
      Effect.orElseSucceed((): readonly string[] => []),
    );
  });

interface AskedWork {
  readonly issueId: IssueId;
  readonly repositoryId?: RepositoryId | undefined;
}

/** Names the uncommitted files where an issue has nothing to merge because of them; any other failure stays as it is. */
export const namingUncommitted = (parts: UncommittedPorts & MaskPorts) => {
  const read = uncommittedFiles(parts);
  const mask = maskForIssue(parts);
  return <E>({ issueId, repositoryId }: AskedWork, failure: E): Effect.Effect<never, E | NothingCommitted> =>
    Effect.gen(function* () {
      if (!(failure instanceof NothingToMerge)) return yield* Effect.fail(failure);
      const branches = yield* parts.transactor.transact(({ repositories }) =>
        repositories.branchesOf(issueId),
      );
      const asked = branches.filter(
        (branch) => branch.repositoryId === (repositoryId ?? branch.repositoryId),
      );
      const paths = (yield* Effect.forEach(asked, read)).flat();
      const [first] = asked;
      if (paths.length === 0 || first === undefined) return yield* Effect.fail(failure);
      const masked = yield* mask(first);
      const files = [...new Set(paths.map((path) => masked(path, "(hidden name)")))];
      const named = files.slice(0, namedMost).map(oneLine).join(", ");
      const more = files.length > namedMost ? ` and ${files.length - namedMost} more` : "";
      return yield* Effect.fail(
        new NothingCommitted({ files }, `There are no new commits to merge. Not committed: ${named}${more}.`),
      );
    });
};
