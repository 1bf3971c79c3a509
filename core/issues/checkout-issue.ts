import * as Effect from "effect/Effect";
import * as Result from "effect/Result";
import type { Clock } from "../../ports/clock.ts";
import type { Ids } from "../../ports/ids.ts";
import type { Transactor } from "../../ports/transactor.ts";
import { type Actor, actingRun, type RunEnded, requireRun } from "../access/caller.ts";
import { transactAs } from "../access/transact-as.ts";
import { type AgentNotAssignable, assignable } from "../agents/named-agent.ts";
import { wakeAgent } from "../runs/wake-agent.ts";
import type { WakeRefusal } from "../runs/wake-refusal.ts";
import { batchRequests } from "../shared/batch-requests.ts";
import type { ReferenceNotFound } from "../shared/failure.ts";
import type { AgentId, CompanyId, IssueId } from "../shared/ids.ts";
import type { Instant } from "../shared/instant.ts";
import { type CheckOutRefusal, checkOut, type Issue, type IssueNotFound } from "./issue.ts";
import type { IssueStatus } from "./issue-status.ts";
import { mayClaimFor } from "./may-begin-for.ts";
import { isHeldByOther } from "./require-issue-writer.ts";
import { requireNoHold } from "./require-no-hold.ts";

export interface CheckoutIssue {
  readonly issueId: IssueId;
  readonly companyId: CompanyId;
  readonly by: Actor;
  readonly agentId: AgentId;
  readonly expectedStatuses: readonly IssueStatus[];
}

type CheckoutRefusal =
  | CheckOutRefusal
  | AgentNotAssignable
  | IssueNotFound
  | ReferenceNotFound
  | RunEnded
  | WakeRefusal;

/**
 * Checks out an issue. One of any number of callers wins; the winner may repeat the call. Of the callers who ask for the
 * same issue one claims it in a transaction, and the others wait for its outcome: most of them lose, and one look after
 * they asked tells all of them. The lock decides between callers of several services.
 */
export const checkoutIssue = (transactor: Transactor, clock: Clock, ids: Ids) => {
  const claim = claimIssue(transactor, clock, ids);
  const queue = batchRequests<CheckoutIssue, Issue, CheckoutRefusal>({
    groupOf: ({ issueId }) => issueId,
    most: Number.POSITIVE_INFINITY,
    mayJoin: () => true,
    // After a defect each command is carried out again: a checkout that is stored is not made twice.
    carryOut: Effect.fnUntraced(function* (waiting) {
      const answers = new Map<CheckoutIssue, Effect.Effect<Issue, CheckoutRefusal>>();
      for (let left = waiting; left.length > 0; ) {
        const seen = yield* transactor.looks.issues.find(left[0]!.issueId);
        const maybe: CheckoutIssue[] = [];
        for (const command of left) {
          const decided = mayCheckOut(seen, command, clock.now());
          if (Result.isFailure(decided)) answers.set(command, Effect.fail(decided.failure));
          else maybe.push(command);
        }
        const [first, ...others] = maybe;
        if (first !== undefined) answers.set(first, yield* Effect.exit(claim(first)));
        left = others;
      }
      return waiting.map((command) => answers.get(command)!);
    }),
  });
  return Effect.fnUntraced(function* (command: CheckoutIssue) {
    const { by, agentId, companyId } = command;
    yield* Effect.fromResult(mayClaimFor(by, agentId, "agentId"));
    yield* Effect.fromResult(requireRun(by));
    // An agent that asks for itself exists.
    if (by.kind !== "agent")
      yield* Effect.fromResult(
        assignable(yield* transactor.looks.agents.findInCompany(agentId, companyId), "agentId"),
      );
    return yield* queue(command);
  });
};

/** Whether it may win, by the issue alone. */
const mayCheckOut = (issue: Issue, { by, agentId, expectedStatuses }: CheckoutIssue, at: Instant) =>
  checkOut(issue, {
    agentId,
    runId: actingRun(by),
    expectedStatuses,
    holderIsActive: false,
    openBlockers: [],
    at,
  });

/** Checks the issue out under its lock, and wakes the agent where somebody else asked. */
const claimIssue = (transactor: Transactor, clock: Clock, ids: Ids) => (command: CheckoutIssue) =>
  transactAs(transactor, command.by, (stores) =>
    Effect.gen(function* () {
      const { by, agentId, companyId, issueId } = command;
      const [agent, issue, openBlockers] = yield* Effect.all(
        [
          stores.agents.findInCompany(agentId, companyId),
          stores.issues.lock(issueId),
          stores.issues.openBlockers(issueId),
        ],
        { concurrency: "unbounded" },
      );
      const assignee = yield* Effect.fromResult(assignable(agent, "agentId"));
      const at = clock.now();
      yield* requireNoHold(stores, by, assignee, issue, at);
      const holderIsActive = yield* isHeldByOther(stores, issue, by);
      const claimed = yield* Effect.fromResult(
        checkOut(issue, { ...command, runId: actingRun(by), holderIsActive, openBlockers, at }),
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
