import * as Effect from "effect/Effect";
import { type UnitOfWork, useCase } from "../../access/unit-of-work.ts";
import { type Actor, actingRun, requireRun } from "../../model/access/caller.ts";
import { isAssigned } from "../../model/issues/assignee.ts";
import { type Issue, releaseIssue as release } from "../../model/issues/issue.ts";
import { refusalOfRelease } from "../../model/issues/issue-actions.ts";
import type { IssueId } from "../../model/shared/ids.ts";
import { revokeIssue } from "../../queue/revoke-issue.ts";
import { isHeldByOther } from "./require-issue-writer.ts";

export interface ReleaseIssue {
  readonly issueId: IssueId;
  readonly by: Actor;
}

/** Releases the lock and the assignee. If the board releases it from a live run, that run is stopped. */
export const releaseIssue = useCase("issues.release", function* (unit, command: ReleaseIssue) {
  yield* Effect.fromResult(requireRun(unit.by));
  const issue = yield* unit.issues.lock(command.issueId);
  const holderIsActive = unit.by.kind === "agent" && (yield* isHeldByOther(unit, issue));
  const refusal = refusalOfRelease({ issue, holderIsActive }, unit.by);
  if (refusal !== null) yield* Effect.fail(refusal);
  if (!isAssigned(issue)) return issue;
  const released = yield* storeRelease(unit, issue);
  const { assigneeAgentId: agentId, id: issueId } = issue;
  if (agentId !== null) yield* revokeIssue(unit, { agentId, issueId, except: actingRun(unit.by) });
  return released;
});

/** Stores an issue without its lock and its assignee, and logs the release. */
export const storeRelease = Effect.fnUntraced(function* (unit: UnitOfWork, issue: Issue) {
  const released = release(issue, unit.at);
  yield* unit.issues.save(released);
  yield* unit.log("issue.released", issue, { identifier: issue.identifier });
  return released;
});
