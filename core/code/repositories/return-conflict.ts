import * as Effect from "effect/Effect";
import { actAs, type UnitOfWork } from "../../access/unit-of-work.ts";
import { isClosed } from "../../model/issues/issue-status.ts";
import type { Merge } from "../../model/repositories/merge.ts";
import { oneLine } from "../../model/shared/sentence.ts";
import { IssueWakes } from "../../queue/issue-wakes.ts";
import { reopenDone } from "../../work/issues/reopen-done.ts";

/** Both sides of a conflict. */
export interface ConflictSides {
  readonly branch: string;
  readonly from: string;
  readonly defaultBranch: string;
  readonly onto: string;
  readonly files: readonly string[];
  readonly messages: string;
}

const namedMost = 20;

const sentenceOf = ({ branch, from, defaultBranch, onto, files }: ConflictSides): string => {
  const named = files.slice(0, namedMost).map(oneLine).join(", ");
  const more = files.length > namedMost ? ` and ${files.length - namedMost} more` : "";
  return `${branch} (${from}) conflicts with ${defaultBranch} (${onto})${named === "" ? "" : ` in ${named}${more}`}.`;
};

/** Gives an issue that cannot be merged back to its agent, with both sides; a done one is opened again. */
export const returnConflict = Effect.fnUntraced(function* (
  system: UnitOfWork,
  merge: Merge,
  sides: ConflictSides,
) {
  const { issueId, repositoryId, companyId, by } = merge;
  const unit = actAs(system, by);
  const issue = yield* Effect.orDie(unit.issues.lock(issueId));
  const { identifier, assigneeAgentId: assignee } = issue;
  // Another service may have ended it, and begun the next, while this one was slow.
  if (!(yield* unit.merges.fail(merge.id))) return;
  yield* unit.log("issue.merge_conflicted", issue, {
    identifier,
    repositoryId,
    branch: sides.defaultBranch,
    files: sides.files.length,
  });
  const open = yield* reopenDone(unit, issue);
  if (isClosed(open.status)) return;
  if (assignee === null || (by.kind === "agent" && by.agentId === assignee)) return;
  const wakes = new IssueWakes(companyId);
  wakes.add(assignee, issueId, "issue_merge_conflicted", { message: sentenceOf(sides) });
  yield* wakes.send(unit);
});
