import * as Effect from "effect/Effect";
import type { Clock } from "../../../ports/clock.ts";
import type { Ids } from "../../../ports/ids.ts";
import type { Stores, Transactor } from "../../../ports/transactor.ts";
import { logAction } from "../../access/log-action.ts";
import { transactAs } from "../../access/transact-as.ts";
import { type Actor, actingRun, requireRun } from "../../model/access/caller.ts";
import { isAssigned } from "../../model/issues/assignee.ts";
import { type Issue, releaseIssue as release } from "../../model/issues/issue.ts";
import { refusalOfRelease } from "../../model/issues/issue-actions.ts";
import type { IssueId } from "../../model/shared/ids.ts";
import type { Instant } from "../../model/shared/instant.ts";
import { loseIssue } from "../../queue/lose-issue.ts";
import { isHeldByOther } from "./require-issue-writer.ts";

export interface ReleaseIssue {
  readonly issueId: IssueId;
  readonly by: Actor;
}

/** Releases the lock and the assignee. Where the board takes it from a live run, that run is stopped. */
export const releaseIssue = (transactor: Transactor, clock: Clock, ids: Ids) => (command: ReleaseIssue) =>
  transactAs(transactor, command.by, function* (stores) {
    const { by } = command;
    yield* Effect.fromResult(requireRun(by));
    const issue = yield* stores.issues.lock(command.issueId);
    const holderIsActive = by.kind === "agent" && (yield* isHeldByOther(stores, issue, by));
    const no = refusalOfRelease({ issue, holderIsActive }, by);
    if (no !== null) yield* Effect.fail(no);
    if (!isAssigned(issue)) return issue;
    const at = clock.now();
    const released = yield* storeRelease(stores, issue, by, at);
    const { assigneeAgentId: agentId, id: issueId } = issue;
    if (agentId !== null) yield* loseIssue(stores, ids, { agentId, issueId, except: actingRun(by) }, at);
    return released;
  });

/** Stores an issue without its lock and its assignee, and notes the release. */
export const storeRelease = Effect.fnUntraced(function* (
  stores: Stores,
  issue: Issue,
  by: Actor,
  at: Instant,
) {
  const released = release(issue, at);
  yield* stores.issues.save(released);
  yield* logAction(stores, issue, by, at, "issue.released", { identifier: issue.identifier });
  return released;
});
