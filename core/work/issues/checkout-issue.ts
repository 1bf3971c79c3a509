import * as Effect from "effect/Effect";
import type { Clock } from "../../../ports/clock.ts";
import type { Ids } from "../../../ports/ids.ts";
import type { Stores, Transactor } from "../../../ports/transactor.ts";
import { logAction } from "../../access/log-action.ts";
import { transactInBatchesAs } from "../../access/transact-as.ts";
import { type Actor, actingRun, requireRun } from "../../model/access/caller.ts";
import { assignable } from "../../model/agents/named-agent.ts";
import { checkOut, type Issue } from "../../model/issues/issue.ts";
import type { IssueStatus } from "../../model/issues/issue-status.ts";
import { mayClaimFor } from "../../model/issues/may-begin-for.ts";
import type { AgentId, CompanyId, IssueId, RunId } from "../../model/shared/ids.ts";
import { requireNoHold } from "../../queue/require-no-hold.ts";
import { wakeAgent } from "../../queue/wake-agent.ts";
import { isHeldByOther } from "./require-issue-writer.ts";

export interface CheckoutIssue {
  readonly issueId: IssueId;
  readonly companyId: CompanyId;
  readonly by: Actor;
  readonly agentId: AgentId;
  readonly expectedStatuses: readonly IssueStatus[];
}

/** Checks out an issue. One of any number of callers wins; the winner may repeat the call. */
export const checkoutIssue = (transactor: Transactor, clock: Clock, ids: Ids) =>
  transactInBatchesAs(
    transactor,
    { keyOf: ({ issueId }: CheckoutIssue) => issueId, inTurn: true },
    Effect.fnUntraced(function* (stores, command) {
      const { by, agentId, companyId, issueId } = command;
      yield* Effect.fromResult(mayClaimFor(by, agentId, "agentId"));
      yield* Effect.fromResult(requireRun(by));
      const issue = yield* stores.issues.lock(issueId);
      const claim = { ...command, runId: actingRun(by), at: clock.now() };
      yield* Effect.fromResult(checkOut(issue, { ...claim, ...unknownYet }));
      const { agent, ...facts } = yield* Effect.all(
        {
          agent: stores.agents.findInCompany(agentId, companyId),
          openBlockers: stores.issues.openBlockers(issueId),
          holderIsActive: isHeldByOther(stores, issue, by),
        },
        { concurrency: "unbounded" },
      );
      const claimed = yield* Effect.fromResult(checkOut(issue, { ...claim, ...facts }));
      const assignee = yield* Effect.fromResult(assignable(agent, "agentId"));
      yield* requireNoHold(stores, by, assignee, issue, claim.at);
      if (claimed === issue) return { issue, tree: (yield* treeFor(stores, issue, claim.runId)).tree };
      yield* stores.issues.save(claimed);
      const { tree, isNextRuns } = yield* treeFor(stores, claimed, claim.runId);
      const { identifier, checkoutRunId: previousRunId } = issue;
      yield* issue.status === "in_progress"
        ? logAction(stores, issue, by, claim.at, "issue.checkout_lock_adopted", {
            identifier,
            agentId,
            previousRunId,
          })
        : logAction(stores, issue, by, claim.at, "issue.checked_out", { identifier, agentId });
      // A run that began without the workspace cannot get it any more: the next one has it.
      if (by.kind !== "agent" || isNextRuns)
        yield* wakeAgent(stores, ids, {
          agent: assignee,
          company: assignee.companyStatus,
          issueId,
          reason: "issue_checked_out",
          by,
          at: claim.at,
        });
      return { issue: claimed, tree };
    }),
  );

/** A call outside of a run, and an issue without a project, have no workspace. */
const treeFor = (stores: Stores, { id, projectId }: Issue, runId: RunId | null) =>
  projectId === null || runId === null
    ? Effect.succeed({ tree: null, isNextRuns: false })
    : stores.trees.forRun(runId, id);

/** Most callers are refused by the issue alone, and ask for nothing else. */
const unknownYet = { holderIsActive: false, openBlockers: [] };
