import * as Effect from "effect/Effect";
import type { Stores } from "../../../ports/transactor.ts";
import { batchedUseCase, type UnitOfWork } from "../../access/unit-of-work.ts";
import { type Actor, actingRun, requireRun } from "../../model/access/caller.ts";
import { assignable } from "../../model/agents/named-agent.ts";
import { claimIssue, grantClaim, type Issue } from "../../model/issues/issue.ts";
import type { IssueStatus } from "../../model/issues/issue-status.ts";
import { mayClaimFor } from "../../model/issues/may-begin-for.ts";
import type { AgentId, CompanyId, IssueId, RunId } from "../../model/shared/ids.ts";
import { requireNoHold } from "../../queue/require-no-hold.ts";
import { wake } from "../../queue/wake-agent.ts";
import { isHeldByOther } from "./require-issue-writer.ts";

export interface CheckoutIssue {
  readonly issueId: IssueId;
  readonly companyId: CompanyId;
  readonly by: Actor;
  readonly agentId: AgentId;
  readonly expectedStatuses: readonly IssueStatus[];
}

/** Checks out an issue. One of any number of callers wins; the winner may repeat the call. */
export const checkoutIssue = batchedUseCase(
  "issues.checkout",
  { keyOf: ({ issueId }: CheckoutIssue) => issueId, sequential: true },
  function* (unit, command: CheckoutIssue) {
    const { agentId, issueId } = command;
    const runId = actingRun(unit.by);
    yield* Effect.fromResult(mayClaimFor(unit.by, agentId, "agentId"));
    yield* Effect.fromResult(requireRun(unit.by));
    const issue = yield* unit.issues.lock(issueId);
    const claim = yield* Effect.fromResult(claimIssue(issue, { ...command, runId }));
    const { agent, ...facts } = yield* readFacts(unit, issue, command);
    const claimed = yield* Effect.fromResult(grantClaim(claim, facts, unit.at));
    const assignee = yield* Effect.fromResult(assignable(agent, "agentId"));
    yield* requireNoHold(unit, assignee, issue);
    if (claimed !== issue) yield* unit.issues.save(claimed);
    const { workspace, isNextRuns } = yield* workspaceFor(unit, issue, runId);
    if (claimed === issue) return { issue, workspace };
    const { identifier, checkoutRunId: previousRunId } = issue;
    yield* issue.status === "in_progress"
      ? unit.log("issue.checkout_lock_adopted", issue, { identifier, agentId, previousRunId })
      : unit.log("issue.checked_out", issue, { identifier, agentId });
    // A run that started without the workspace can no longer get it: the next one does.
    if (unit.by.kind !== "agent" || isNextRuns)
      yield* wake(unit, assignee, { issueId, reason: "issue_checked_out" });
    return { issue: claimed, workspace };
  },
);

const readFacts = (unit: UnitOfWork, issue: Issue, { agentId, companyId }: CheckoutIssue) =>
  Effect.all(
    {
      agent: unit.agents.findInCompany(agentId, companyId),
      openBlockers: unit.issues.openBlockers(issue.id),
      holderIsActive: isHeldByOther(unit, issue),
    },
    { concurrency: "unbounded" },
  );

/** A call outside a run, and an issue without a project, have no workspace. */
const workspaceFor = (stores: Stores, { id, projectId }: Issue, runId: RunId | null) =>
  projectId === null || runId === null
    ? Effect.succeed({ workspace: null, isNextRuns: false })
    : stores.issueWorkspaces.forRun(runId, id);
