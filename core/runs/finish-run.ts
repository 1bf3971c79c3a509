import * as Effect from "effect/Effect";
import type { TokenUsage } from "../../ports/agent-adapter.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Ids } from "../../ports/ids.ts";
import type { AgentInCompany } from "../../ports/stores/agent-store.ts";
import type { Stores, Transactor } from "../../ports/transactor.ts";
import { bySystem } from "../access/caller.ts";
import type { Issue } from "../issues/issue.ts";
import type { AgentId, IssueId, RunId } from "../shared/ids.ts";
import type { Instant } from "../shared/instant.ts";
import { holdUntil } from "./account-hold.ts";
import {
  type Accident,
  agentErrorAfter,
  causeOf,
  isLoss,
  judge,
  type Run,
  type RunOutcome,
  type RunVerdict,
  whatIsNext,
} from "./run.ts";
import { taskKeyOf } from "./task-key.ts";
import type { WakePayload } from "./wake.ts";
import { wakeAgent } from "./wake-agent.ts";

export interface FinishRun {
  readonly run: { readonly id: RunId; readonly agentId: AgentId; readonly issueId: IssueId | null };
  readonly outcome: RunOutcome | Accident;
  /** A provider's word: no run of the adapter and account before then. */
  readonly retryNotBefore?: Instant | null;
  readonly lastOutput: string | null;
  readonly summary?: string | null;
  readonly result?: Readonly<Record<string, unknown>> | null;
  readonly spent?: Spent | null;
  /** New session to resume from, "clear" to forget the old one, null to leave it. */
  readonly session?: { params: Readonly<Record<string, unknown>>; displayId: string | null } | "clear" | null;
}

/** What the program used, as it reports it. */
export interface Spent {
  readonly provider: string;
  readonly model: string;
  readonly billingType: string;
  readonly usage: TokenUsage;
  /** null: tokens were used, nobody said for how much. */
  readonly costCents: number | null;
}

/**
 * Ends a running run: its lock, its agent's state, its cost, its session and whatever starts next, in one transaction.
 * A run that has ended already stays as it is.
 */
export const finishRun = (transactor: Transactor, clock: Clock, ids: Ids) => (command: FinishRun) =>
  transactor.transact((stores) =>
    Effect.gen(function* () {
      const { agentId, issueId } = command.run;
      const [agent, issue, run] = yield* Effect.all(
        [
          stores.agents.lock(agentId),
          issueId === null ? Effect.succeed(null) : stores.issues.lock(issueId),
          stores.runs.lock(command.run.id),
        ],
        { concurrency: "unbounded" },
      ).pipe(Effect.orDie);
      if (run.status !== "running") return null;
      const at = clock.now();
      const verdict = judge(run, command.outcome);
      yield* recordEnd(stores, ids, { run, issue, verdict, command, at });
      yield* stores.agents.noteHeartbeat(agentId, at, agentErrorAfter(verdict));
      const heldUntil = verdict.status === "failed" ? holdUntil(command.retryNotBefore ?? null, at) : null;
      if (heldUntil !== null)
        yield* stores.runs.holdAccount({
          agentId,
          adapterType: run.adapterType,
          notBefore: heldUntil,
          runId: run.id,
          at,
        });
      yield* decideWhatIsNext(stores, ids, { run, agent, issue, verdict, heldUntil, at });
      return verdict;
    }),
  );

interface Ending {
  readonly run: Run;
  readonly issue: Issue | null;
  readonly verdict: RunVerdict;
  readonly command: FinishRun;
  readonly at: Instant;
}

const recordEnd = Effect.fnUntraced(function* (stores: Stores, ids: Ids, ending: Ending) {
  const { run, issue, verdict, command, at } = ending;
  const { companyId, agentId } = run;
  const session = command.session ?? null;
  const spent = command.spent ?? null;
  yield* stores.runs.finish(run.id, {
    ...verdict,
    exitCode: typeof command.outcome === "string" ? null : command.outcome.exitCode,
    signal: typeof command.outcome === "string" ? null : command.outcome.signal,
    lastOutput: command.lastOutput,
    summary: command.summary ?? null,
    result: command.result ?? null,
    usage: spent?.usage ?? null,
    costCents: spent?.costCents ?? null,
    sessionIdAfter: session === null || session === "clear" ? null : session.displayId,
    at,
  });
  yield* stores.issues.unlockAll(run.id, at);
  if (session === "clear") yield* stores.runs.clearSession(agentId, run.adapterType, taskKeyOf(run));
  else if (session !== null)
    yield* stores.runs.saveSession({
      companyId,
      agentId,
      adapterType: run.adapterType,
      taskKey: taskKeyOf(run),
      params: session.params,
      displayId: session.displayId,
      lastRunId: run.id,
      updatedAt: at,
    });
  yield* stores.runs.appendEvent({
    companyId,
    runId: run.id,
    type: "lifecycle",
    level: verdict.error === null ? "info" : "error",
    message: verdict.error ?? "run succeeded",
    payload: { status: verdict.status, errorCode: verdict.errorCode, agentId, issueId: run.issueId },
    at,
  });
  yield* stores.activity.append({
    companyId,
    by: bySystem,
    at,
    action: "heartbeat.finished",
    entityId: run.id,
    details: { agentId, status: verdict.status, errorCode: verdict.errorCode },
  });
  if (spent === null) return;
  const id = ids.next<"cost_event">();
  const costStatus = spent.costCents === null ? "unknown" : "reported";
  yield* stores.costs.insert({
    id,
    companyId,
    agentId,
    issueId: run.issueId,
    projectId: issue?.projectId ?? null,
    runId: run.id,
    provider: spent.provider,
    model: spent.model,
    billingType: spent.billingType,
    costStatus,
    ...spent.usage,
    costCents: spent.costCents ?? 0,
    occurredAt: at,
  });
  yield* stores.activity.append({
    companyId,
    by: { kind: "agent", agentId, runId: run.id },
    at,
    action: "cost.reported",
    entityId: id,
    details: { costCents: spent.costCents ?? 0, model: spent.model, costStatus },
  });
});

interface Aftermath {
  readonly run: Run;
  readonly agent: AgentInCompany;
  readonly issue: Issue | null;
  readonly verdict: RunVerdict;
  readonly heldUntil: Instant | null;
  readonly at: Instant;
}

/** What waited for this run goes first, and does what was to be tried again, too; otherwise what follows from how it ended. */
const decideWhatIsNext = Effect.fnUntraced(function* (stores: Stores, ids: Ids, after: Aftermath) {
  const { run, agent, issue, verdict, heldUntil, at } = after;
  const followed = yield* stores.wakes.followUpWaits(run.agentId, run.issueId);
  if (followed) yield* stores.wakes.promote(run.agentId, run.issueId, ids.next<"run">(), at);
  const left = issue?.status === "in_progress" && issue.assigneeAgentId === run.agentId ? issue : null;
  const wake = { agent, company: agent.companyStatus, issueId: run.issueId, by: bySystem, at };
  const next = whatIsNext(run, verdict, left !== null, heldUntil !== null);
  if (followed && next !== "retry" && next !== "recovery") return;
  switch (next) {
    case "recovery":
      yield* wakeAgent(stores, ids, {
        ...wake,
        reason: "provider_quota_recovery",
        payload: ofRetry(run, verdict),
      });
      break;
    case "retry":
      yield* wakeAgent(stores, ids, {
        ...wake,
        reason: "process_lost_retry",
        payload: ofRetry(run, verdict),
      });
      break;
    case "continuation":
      yield* wakeAgent(stores, ids, { ...wake, reason: "issue_continuation_needed" });
      break;
    case "stalled":
      if (left !== null)
        yield* stores.activity.append({
          companyId: run.companyId,
          by: bySystem,
          at,
          action: "issue.stalled",
          entityId: left.id,
          details: { identifier: left.identifier },
        });
      break;
    case "nothing":
      break;
  }
});

const ofRetry = (run: Run, verdict: RunVerdict): WakePayload => ({
  ...run.context,
  retryOfRunId: run.id,
  retryOfReason: causeOf(run),
  lostBefore: run.context.lostBefore === true || isLoss(verdict),
});
