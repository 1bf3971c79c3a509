import { useCase } from "../../../access/unit-of-work.ts";
import type { JudgedGate } from "../../../model/issues/gates/judge-gates.ts";
import type { IssueId, RepositoryId } from "../../../model/shared/ids.ts";
import { readGates } from "./read-gates.ts";

export interface IssueGates {
  /** false: those of its project. */
  readonly isOwn: boolean;
  readonly gates: readonly JudgedGate[];
  /** The heads that a review is about. */
  readonly commits: readonly {
    readonly repositoryId: RepositoryId;
    readonly branch: string;
    readonly commit: string;
  }[];
}

/** Returns the gates of an issue as they are now. */
export const showGates = useCase(
  "issues.gates",
  function* (unit, { issueId }: { readonly issueId: IssueId }) {
    const issue = yield* unit.issues.find(issueId);
    const { work } = yield* unit.gates.factsOf(issue);
    return {
      isOwn: yield* unit.gates.hasOwn(issueId),
      gates: yield* readGates(unit, issue, null),
      commits: work.flatMap(({ repositoryId, branch, head }) =>
        head === null ? [] : [{ repositoryId, branch, commit: head }],
      ),
    } satisfies IssueGates;
  },
);
