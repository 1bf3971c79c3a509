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
export const checkoutIssue = (transactor: Transactor, clock: Clock, ids: Ids) => (command: CheckoutIssue) =>
  transactAs(transactor, command.by, (stores) =>
    Effect.gen(function* () {
      const { by, agentId, companyId } = command;
      const runId = actingRun(by);
      yield* Effect.fromResult(mayClaimFor(by, agentId, "agentId"));
      yield* Effect.fromResult(requireRun(by));
      const [seen, agent] = yield* Effect.all(
        [stores.issues.find(command.issueId), stores.agents.findInCompany(agentId, companyId)],
        { concurrency: "unbounded" },
      );
      const assignee = yield* Effect.fromResult(assignable(agent, "agentId"));
      const claim = { ...command, runId };
      // Most concurrent callers lose; only those that may win wait for the lock.
      yield* Effect.fromResult(
        checkOut(seen, { ...claim, holderIsActive: false, openBlockers: [], at: clock.now() }),
      );
      if (by.kind === "agent") yield* requireProjectBudget(stores, seen.projectId, clock.now());
      const [issue, openBlockers] = yield* Effect.all(
        [stores.issues.lock(command.issueId), stores.issues.openBlockers(command.issueId)],
        { concurrency: "unbounded" },
      );
      const holderIsActive = yield* isHeldByOther(stores, issue, by);
      const at = clock.now();
      const claimed = yield* Effect.fromResult(
        checkOut(issue, { ...claim, holderIsActive, openBlockers, at }),
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
