import * as Effect from "effect/Effect";
import type { Clock } from "../../../../ports/clock.ts";
import type { Transactor } from "../../../../ports/transactor.ts";
import { logAction } from "../../../access/log-action.ts";
import { transactAs } from "../../../access/transact-as.ts";
import { type Actor, requireRun } from "../../../model/access/caller.ts";
import type { IssueId } from "../../../model/shared/ids.ts";
import { requireIssueWriter } from "../require-issue-writer.ts";

export interface RerunGates {
  readonly issueId: IssueId;
  readonly by: Actor;
}

/** Lets the failed commands of an issue's gates run again. Returns how many do. */
export const rerunGates = (transactor: Transactor, clock: Clock) => (command: RerunGates) =>
  transactAs(transactor, command.by, function* (stores) {
    const { issueId, by } = command;
    yield* Effect.fromResult(requireRun(by));
    const issue = yield* stores.issues.lock(issueId);
    yield* requireIssueWriter(stores, issue, by);
    const reruns = yield* stores.gates.forgetFailed(issue.id);
    if (reruns > 0)
      yield* logAction(stores, issue, by, clock.now(), "issue.gates_rerun", {
        identifier: issue.identifier,
      });
    return { reruns };
  });
