import * as Effect from "effect/Effect";
import type { Clock } from "../../ports/clock.ts";
import type { Ids } from "../../ports/ids.ts";
import type { Transactor } from "../../ports/transactor.ts";
import { type Actor, actingRun, requireRun } from "../access/caller.ts";
import { transactAs } from "../access/transact-as.ts";
import { assignable } from "../agents/named-agent.ts";
import { requireProjectBudget } from "../projects/require-budget.ts";
import { wakeAgent } from "../runs/wake-agent.ts";
import type { AgentId, CompanyId, IssueId } from "../shared/ids.ts";
import { mayClaimFor } from "./assignee.ts";
import { checkOut } from "./issue.ts";
import type { IssueStatus } from "./issue-status.ts";
import { isHeldByOther } from "./require-issue-writer.ts";

export interface CheckoutIssue {
  readonly issueId: IssueId;
  readonly companyId: CompanyId;
  readonly by: Actor;
  readonly agentId: AgentId;
  readonly expectedStatuses: readonly IssueStatus[];
}

/** Checks out an issue. One of any number of callers wins; the winner may repeat the call. */
export const checkoutIssue = (transactor: Transactor, clock: Clock, ids: Ids) => {
  /** Most concurrent callers lose; only those that may win begin a transaction and wait for the lock. */
  const look = Effect.fnUntraced(function* (command: CheckoutIssue) {
    const { by, agentId, companyId } = command;
    yield* Effect.fromResult(mayClaimFor(by, agentId, "agentId"));
    yield* Effect.fromResult(requireRun(by));
    const { issues, agents } = transactor.looks;
    const [seen, agent] = yield* Effect.all(
      [issues.find(command.issueId), agents.findInCompany(agentId, companyId)],
      { concurrency: "unbounded" },
    );
    yield* Effect.fromResult(assignable(agent, "agentId"));
    const claim = { ...command, runId: actingRun(by), holderIsActive: false, openBlockers: [] };
    yield* Effect.fromResult(checkOut(seen, { ...claim, at: clock.now() }));
  });
  const claim = (command: CheckoutIssue) =>
    transactAs(transactor, command.by, (stores) =>
      Effect.gen(function* () {
        const { by, agentId, companyId } = command;
        const runId = actingRun(by);
        // Others may have won while this one waited for a connection: it does not wait for their lock as well.
        const [now, agent] = yield* Effect.all(
          [stores.issues.find(command.issueId), stores.agents.findInCompany(agentId, companyId)],
          { concurrency: "unbounded" },
        );
        const assignee = yield* Effect.fromResult(assignable(agent, "agentId"));
        yield* Effect.fromResult(
          checkOut(now, { ...command, runId, holderIsActive: false, openBlockers: [], at: clock.now() }),
        );
        if (by.kind === "agent") yield* requireProjectBudget(stores, now.projectId, clock.now());
        const [issue, openBlockers] = yield* Effect.all(
          [stores.issues.lock(command.issueId), stores.issues.openBlockers(command.issueId)],
          { concurrency: "unbounded" },
        );
        const holderIsActive = yield* isHeldByOther(stores, issue, by);
        const at = clock.now();
        const claimed = yield* Effect.fromResult(
          checkOut(issue, { ...command, runId, holderIsActive, openBlockers, at }),
        );
        if (claimed === issue) return issue;

        yield* stores.issues.save(claimed);
        yield* stores.activity.append({
          companyId,
          by,
          at,
          entityId: issue.id,
          ...(issue.status === "in_progress"
            ? {
                action: "issue.checkout_lock_adopted",
                details: { identifier: issue.identifier, agentId, previousRunId: issue.checkoutRunId },
              }
            : { action: "issue.checked_out", details: { identifier: issue.identifier, agentId } }),
        });
        if (by.kind !== "agent")
          yield* wakeAgent(stores, ids, {
            agent: assignee,
            company: assignee.companyStatus,
            issueId: issue.id,
            reason: "issue_checked_out",
            by,
            at,
          });
        return claimed;
      }),
    );
  return (command: CheckoutIssue) => Effect.andThen(look(command), claim(command));
};
