import * as Effect from "effect/Effect";
import type { CompanyId, IssueId, RepositoryId } from "../../model/shared/ids.ts";
import { type BringPorts, bringWork } from "../repositories/bring-work.ts";
import { fetchRepository } from "../repositories/fetch-repository.ts";

interface CheckedRepository {
  readonly issueId: IssueId;
  readonly companyId: CompanyId;
  readonly repositoryId: RepositoryId;
  readonly defaultBranch: string;
  /** The issue's work in it; null: none. */
  readonly head: string | null;
}

/**
 * The commit of a repository at which the commands of an issue's gates run, in the stores of this service: that of its work, or
 * of the default branch. null: it has none.
 */
export const checkedCommit = (parts: BringPorts) => {
  const { codeStores } = parts;
  const bring = bringWork(parts);
  const fetch = fetchRepository(parts);
  return Effect.fnUntraced(function* (asked: CheckedRepository) {
    const { issueId, companyId, repositoryId, defaultBranch, head } = asked;
    const of = { companyId, repositoryId };
    if (head !== null) {
      yield* bring({ ...of, issueId, head });
      return head;
    }
    const known = yield* codeStores.head(of, defaultBranch);
    if (known !== null) return known;
    yield* fetch({ repositoryId });
    return yield* codeStores.head(of, defaultBranch);
  });
};
