import * as Effect from "effect/Effect";
import type { AgentInCompany } from "../../ports/stores/agent-store.ts";
import type { Stores } from "../../ports/transactor.ts";
import type { UnitOfWork } from "../access/unit-of-work.ts";
import type { Issue } from "../model/issues/issue.ts";
import {
  causeOf,
  isDoneAgain,
  isLoss,
  type Next,
  type Run,
  type RunVerdict,
  whatFollowsClaim,
  whatIsNext,
} from "../model/runs/run.ts";
import type { WakePayload } from "../model/runs/wake.ts";
import type { WakeReason } from "../model/runs/wake-reason.ts";
import type { IssueId } from "../model/shared/ids.ts";
import type { Instant } from "../model/shared/instant.ts";
import { wake } from "../queue/wake-agent.ts";
import { awaitVerdict } from "../work/issues/gates/apply-verdict.ts";

/** A run that has just ended, and the issues it left. */
export interface EndedRun {
  readonly run: Run;
  readonly agent: AgentInCompany;
  /** The run's own issue. */
  readonly issue: Issue | null;
  /** Other issues that it checked out itself and left in progress. */
  readonly claimed: readonly UnfinishedIssue[];
  readonly verdict: RunVerdict;
  readonly heldUntil: Instant | null;
}

type UnfinishedIssue = Pick<Issue, "id" | "identifier">;

/**
 * Starts what follows a run: for each issue left in progress, one continuation, and then a note. A run that is done again
 * is followed by that one run, which takes up its other issues, too. Returns the issues for which what follows waits for the
 * verdict on their gates.
 */
export const followRun = Effect.fnUntraced(function* (unit: UnitOfWork, ended: EndedRun) {
  const { run, issue, verdict, heldUntil } = ended;
  const unfinished = issue?.status === "in_progress" && issue.assigneeAgentId === run.agentId ? issue : null;
  const next = whatIsNext(run, verdict, unfinished !== null, heldUntil !== null);
  const claimed = isDoneAgain(next) ? [] : yield* followClaims(unit, ended);
  const isAwaiting = yield* followOwnIssue(unit, ended, unfinished, next);
  return isAwaiting && unfinished !== null ? [...claimed, unfinished.id] : claimed;
});

/** Continues what a retry would have taken up, which is refused because its own issue is no longer the agent's. */
export const continueClaims = Effect.fnUntraced(function* (
  unit: UnitOfWork,
  ended: Pick<EndedRun, "run" | "agent">,
) {
  for (const { id } of yield* resumedIssues(unit, ended.run))
    yield* wakeAfter(unit, ended, id, "issue_continuation_needed");
});

/** Returns the issues of the run that it retries which are still in progress, and which no run holds. */
export const resumedIssues = (stores: Stores, { agentId, context }: Pick<Run, "agentId" | "context">) => {
  const ids = context.claimedIssueIds ?? [];
  return ids.length === 0 ? Effect.succeed([]) : stores.issues.leftInProgress(agentId, ids);
};

const followClaims = Effect.fnUntraced(function* (unit: UnitOfWork, ended: EndedRun) {
  const { run, claimed, verdict } = ended;
  const latest = yield* unit.runs.latestOn(
    run.agentId,
    claimed.map(({ id }) => id),
  );
  const awaiting: IssueId[] = [];
  for (const issue of claimed) {
    const next = whatFollowsClaim(verdict, latest.find(({ issueId }) => issueId === issue.id) ?? null);
    if (next === "nothing") continue;
    if (yield* awaits(unit, ended, issue.id)) awaiting.push(issue.id);
    else if (next === "continuation") yield* wakeAfter(unit, ended, issue.id, "issue_continuation_needed");
    else yield* recordStalled(unit, ended, issue);
  }
  return awaiting;
});

/** Wakes that waited for the run come first, and replace a retry. Returns whether what follows waits for a verdict. */
const followOwnIssue = Effect.fnUntraced(function* (
  unit: UnitOfWork,
  ended: EndedRun,
  unfinished: Issue | null,
  next: Next,
) {
  const { run } = ended;
  const followed = yield* unit.wakes.followUpWaits(run.agentId, run.issueId);
  if (followed) yield* unit.wakes.promote(run.agentId, run.issueId, unit.newId<"run">(), unit.at);
  if (isDoneAgain(next)) {
    const reason = next === "retry" ? "process_lost_retry" : "provider_quota_recovery";
    yield* wakeAfter(unit, ended, run.issueId, reason, ofRetry(ended));
    return false;
  }
  if (followed || next === "nothing" || unfinished === null) return false;
  if (yield* awaits(unit, ended, unfinished.id)) return true;
  if (next === "continuation") yield* wakeAfter(unit, ended, unfinished.id, "issue_continuation_needed");
  else yield* recordStalled(unit, ended, unfinished);
  return false;
});

const awaits = (unit: UnitOfWork, { run, verdict }: EndedRun, issueId: IssueId) =>
  verdict.status === "succeeded" ? awaitVerdict(unit, issueId, run) : Effect.succeed(false);

const wakeAfter = (
  unit: UnitOfWork,
  { run, agent }: Pick<EndedRun, "run" | "agent">,
  issueId: IssueId | null,
  reason: WakeReason,
  payload: WakePayload = {},
) => wake(unit, agent, { issueId, reason, payload, after: run.id });

const recordStalled = (unit: UnitOfWork, { run }: EndedRun, { id, identifier }: UnfinishedIssue) =>
  unit.log("issue.stalled", { companyId: run.companyId, id }, { identifier });

const ofRetry = ({ run, claimed, verdict }: EndedRun): WakePayload => ({
  ...run.context,
  claimedIssueIds: claimed.length === 0 ? undefined : claimed.map(({ id }) => id),
  retryOfRunId: run.id,
  retryOfReason: causeOf(run),
  lostBefore: run.context.lostBefore === true || isLoss(verdict),
});
