import * as Effect from "effect/Effect";
import { useCase } from "../../../access/unit-of-work.ts";
import { type Actor, requireRun } from "../../../model/access/caller.ts";
import type { IssueId } from "../../../model/shared/ids.ts";
import { requireIssueWriter } from "../require-issue-writer.ts";

export interface RerunGates {
  readonly issueId: IssueId;
  readonly by: Actor;
}

/** Lets the failed commands of an issue's gates run again. Returns how many do. */
export const rerunGates = useCase("issues.rerunGates", function* (unit, { issueId }: RerunGates) {
  yield* Effect.fromResult(requireRun(unit.by));
  const issue = yield* unit.issues.lock(issueId);
  yield* requireIssueWriter(unit, issue);
  const reruns = yield* unit.gates.forgetFailed(issue.id);
  if (reruns > 0)
    yield* unit.log("issue.gates_rerun", issue, {
      identifier: issue.identifier,
    });
  return { reruns };
});
