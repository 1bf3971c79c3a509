import * as Effect from "effect/Effect";
import type { Clock } from "../../ports/clock.ts";
import type { Ids } from "../../ports/ids.ts";
import type { Transactor } from "../../ports/transactor.ts";
import { type Actor, actingRun, RunIdRequired } from "../access/caller.ts";
import { loseIssue } from "../runs/lose-issue.ts";
import type { IssueId } from "../shared/ids.ts";
import { agentMayChange, NotTheAssignee, releaseIssue as release } from "./issue.ts";

export interface ReleaseIssue {
  readonly issueId: IssueId;
  readonly by: Actor;
}

/** Gives the lock back. Where the board takes it from a live run, that run is stopped. */
export const releaseIssue = (transactor: Transactor, clock: Clock, ids: Ids) => (command: ReleaseIssue) =>
  transactor.transact((stores) =>
    Effect.gen(function* () {
      const { by } = command;
      if (by.kind === "agent" && by.runId === null) yield* Effect.fail(new RunIdRequired());
      const issue = yield* stores.issues.lock(command.issueId);
      if (by.kind === "agent") {
        if (issue.assigneeAgentId !== by.agentId) yield* Effect.fail(new NotTheAssignee());
        const other = issue.checkoutRunId === by.runId ? null : issue.checkoutRunId;
        const holderIsActive = other === null ? false : yield* stores.runs.isActive(other);
        const no = agentMayChange(issue, { ...by, holderIsActive });
        if (no !== null) yield* Effect.fail(no);
      }
      if (issue.assigneeAgentId === null) return issue;
      const at = clock.now();
      const released = release(issue, at);
      yield* stores.issues.save(released);
      yield* loseIssue(
        stores,
        ids,
        {
          agentId: issue.assigneeAgentId,
          issueId: issue.id,
          except: actingRun(by),
        },
        at,
      );
      yield* stores.activity.append({
        companyId: issue.companyId,
        by,
        at,
        action: "issue.released",
        entityId: issue.id,
        details: { identifier: issue.identifier },
      });
      return released;
    }),
  );
