import * as Effect from "effect/Effect";
import * as Result from "effect/Result";
import type { AgentInCompany } from "../../ports/stores/agent-store.ts";
import type { Stores } from "../../ports/transactor.ts";
import {
  actAs,
  jointUseCase,
  transactAsSystem,
  type UnitOfWork,
  type UseCaseContext,
} from "../access/unit-of-work.ts";
import { bySystem } from "../model/access/caller.ts";
import { entryAbout } from "../model/activity/activity-entry.ts";
import type { Company } from "../model/companies/company.ts";
import { wholeCents } from "../model/costs/cents.ts";
import type { CostEvent } from "../model/costs/cost-event.ts";
import type { Issue } from "../model/issues/issue.ts";
import type { Project } from "../model/projects/project.ts";
import { holdUntil } from "../model/runs/account-hold.ts";
import {
  type Accident,
  agentErrorAfter,
  judge,
  type Run,
  type RunOutcome,
  type RunVerdict,
} from "../model/runs/run.ts";
import { isSessionStuck, isWordlessFailure, type SessionEnd } from "../model/runs/session-end.ts";
import { taskKeyOf } from "../model/runs/task-key.ts";
import type { IssueId } from "../model/shared/ids.ts";
import type { Instant } from "../model/shared/instant.ts";
import { type RunCost, recordRunCost } from "../money/record-cost.ts";
import { endRuns, type Remains } from "../queue/end-runs.ts";
import { applyVerdict } from "../work/issues/gates/apply-verdict.ts";
import { followRun, resumedIssues } from "./follow-run.ts";

export interface FinishRun {
  readonly run: Pick<Run, "id" | "companyId" | "agentId" | "issueId">;
  readonly outcome: RunOutcome | Accident;
  /** The time before which the provider allows no run of this adapter and account. */
  readonly retryNotBefore?: Instant | null;
  readonly lastOutput: string | null;
  /** The agent has received the run's prompt, so the messages of people in it count as delivered. */
  readonly prompted?: boolean;
  readonly summary?: string | null;
  readonly result?: Readonly<Record<string, unknown>> | null;
  /** The final usage that the program reported; null where it reported none. */
  readonly spent?: RunCost | null;
  /** The new session to resume from, "clear" to delete the old one, null to keep it. */
  readonly session?: { params: Readonly<Record<string, unknown>>; displayId: string | null } | "clear" | null;
}

/**
 * Ends a running run: its lock, its agent's state, its cost, its session and the next start, in one transaction. A run
 * that has already ended stays unchanged.
 */
export const finishRun = (context: UseCaseContext) => {
  const finish = endAll(context);
  const apply = (issueId: IssueId) =>
    transactAsSystem(context, "runs.finish", function* (unit) {
      yield* applyVerdict(unit, issueId);
    });
  return Effect.fnUntraced(function* (command: FinishRun) {
    const { verdict, awaiting } = yield* finish(command);
    // In transactions of their own, because a done issue locks other issues, and issues are locked before runs. A
    // failure here is found by a later sweep.
    yield* Effect.forEach(awaiting, (issueId) => Effect.ignoreCause(apply(issueId)), { discard: true });
    return verdict;
  });
};

const endAll = jointUseCase(
  "runs.finish",
  {
    // A cost locks its company, and ends without one should not wait for that lock.
    keyOf: ({ run, spent }: FinishRun) => (spent ? run.id : ""),
    conflictKeys: ({ run: { agentId, issueId } }) => (issueId === null ? [agentId] : [agentId, issueId]),
  },
  function* (unit, ends: readonly FinishRun[]) {
    const locked = yield* lockAll(unit, ends);
    const { at } = unit;
    const concurrency = "unbounded";
    const tried = yield* Effect.forEach(ends, (command) => endOne(unit, locked(command), command), {
      concurrency,
    });
    const ended = tried.filter((one) => one !== null);
    yield* unit.activity.appendAll(
      ended.map(({ locked: { run }, verdict }) =>
        entryAbout(run, bySystem, at, "heartbeat.finished" as const, {
          agentId: run.agentId,
          status: verdict.status,
          errorCode: verdict.errorCode,
        }),
      ),
    );
    const awaiting = new Map(
      yield* Effect.forEach(
        ended,
        (one) => Effect.map(afterEnd(unit, one), (issueIds) => [one, issueIds] as const),
        { concurrency },
      ),
    );
    yield* unit.agents.recordHeartbeats(
      ended.map(({ locked: { run }, verdict }) => ({
        agentId: run.agentId,
        errorReason: agentErrorAfter(verdict),
      })),
      at,
    );
    return tried.map((one) =>
      Result.succeed({
        verdict: one?.verdict ?? null,
        awaiting: one === null ? [] : (awaiting.get(one) ?? []),
      }),
    );
  },
);

/** Locks in the order of all locks, ids ascending. An end with a cost is alone. */
const lockAll = Effect.fnUntraced(function* (stores: Stores, ends: readonly FinishRun[]) {
  const runs = ends.map(({ run }) => run);
  const runIds = runs.map(({ id }) => id);
  const paid = ends.find(({ spent }) => spent)?.run;
  const found = yield* Effect.all(
    {
      company: paid ? Effect.orDie(stores.companies.lock(paid.companyId)) : Effect.succeed(null),
      agents: stores.agents.lockAll(runs.map(({ agentId }) => agentId)),
      project: paid ? stores.projects.lockOfRun(paid.id) : Effect.succeed(null),
      issues: Effect.forEach(
        runs.flatMap(({ issueId }) => issueId ?? []).sort(),
        (id) => Effect.orDie(stores.issues.lock(id)),
        { concurrency: "unbounded" },
      ),
      runs: stores.runs.lockAll(runIds),
      costs: stores.costs.ofRuns(runIds),
    },
    { concurrency: "unbounded" },
  );
  return ({ run: { id, agentId, issueId } }: FinishRun): Locked => ({
    company: found.company,
    agent: found.agents.find((agent) => agent.id === agentId)!,
    project: found.project,
    issue: found.issues.find((issue) => issue.id === issueId) ?? null,
    run: found.runs.find((run) => run.id === id)!,
    costBefore: found.costs.find(({ runId }) => runId === id) ?? null,
  });
});

/** The changes at the end of a run. */
interface Locked {
  /** Locked where the program reported usage. */
  readonly company: Company | null;
  readonly agent: AgentInCompany;
  /** The project that the cost counts for; locked likewise. */
  readonly project: Project | null;
  readonly issue: Issue | null;
  readonly run: Run;
  readonly costBefore: CostEvent | null;
}

/** A run that has ended now. */
interface Ended {
  readonly command: FinishRun;
  readonly locked: Locked;
  readonly verdict: RunVerdict;
  /** The issues that it left in progress. */
  readonly released: readonly Pick<Issue, "id" | "identifier">[];
}

const endOne = Effect.fnUntraced(function* (unit: UnitOfWork, locked: Locked, command: FinishRun) {
  const { run, costBefore } = locked;
  const verdict = judge(run, command.outcome);
  const ended = yield* endRuns(unit, [run], verdict, remainsOf(command, costBefore), command.prompted);
  return ended === null ? null : ({ command, locked, verdict, released: ended.released } satisfies Ended);
});

const afterEnd = Effect.fnUntraced(function* (
  unit: UnitOfWork,
  { command, locked, verdict, released }: Ended,
) {
  const { at } = unit;
  const { run, issue } = locked;
  const { agentId } = run;
  const isStuck = yield* isSessionStuckAfter(unit, run, {
    errorCode: verdict.errorCode,
    summary: command.summary ?? null,
  });
  yield* saveSession(unit, run, isStuck ? "clear" : command.session);
  const payer = yield* recordSpent(unit, locked, command);
  const heldUntil = verdict.status === "failed" ? holdUntil(command.retryNotBefore ?? null, at) : null;
  if (heldUntil !== null)
    yield* unit.runs.holdAccount({
      agentId,
      adapterType: run.adapterType,
      notBefore: heldUntil,
      runId: run.id,
      at,
    });
  const resumed = yield* resumedIssues(unit, run);
  const claimed = [...new Map([...resumed, ...released].map((one) => [one.id, one])).values()].filter(
    ({ id }) => id !== run.issueId,
  );
  return yield* followRun(unit, { run, agent: payer, issue, claimed, verdict, heldUntil });
});

/** The program's results with its final cost. */
const remainsOf = (
  { outcome, session, spent, ...command }: FinishRun,
  costBefore: CostEvent | null,
): Remains => ({
  exitCode: typeof outcome === "string" ? null : outcome.exitCode,
  signal: typeof outcome === "string" ? null : outcome.signal,
  lastOutput: command.lastOutput,
  summary: command.summary ?? null,
  result: command.result ?? null,
  usage: spent?.usage ?? usageOf(costBefore),
  costCents: shownCents(spent?.costCents ?? knownCents(costBefore)),
  sessionIdAfter: !session || session === "clear" ? null : session.displayId,
});

const isSessionStuckAfter = Effect.fnUntraced(function* (stores: Stores, { id }: Run, last: SessionEnd) {
  // Most runs are none: they ask for nothing.
  if (!isWordlessFailure(last)) return false;
  return isSessionStuck(yield* stores.runs.previousInSession(id), last);
});

/** Stores or deletes the session that the next run of the task resumes. */
const saveSession = Effect.fnUntraced(function* (
  unit: UnitOfWork,
  { companyId, agentId, adapterType, id, issueId }: Run,
  session: FinishRun["session"],
) {
  const taskKey = taskKeyOf({ issueId });
  if (session === "clear") yield* unit.runs.clearSession(agentId, adapterType, taskKey);
  else if (session)
    yield* unit.runs.saveSession({
      companyId,
      agentId,
      adapterType,
      taskKey,
      params: session.params,
      displayId: session.displayId,
      lastRunId: id,
      updatedAt: unit.at,
    });
});

const usageOf = (cost: CostEvent | null) =>
  cost === null
    ? null
    : {
        inputTokens: cost.inputTokens,
        outputTokens: cost.outputTokens,
        cachedInputTokens: cost.cachedInputTokens,
      };

const shownCents = (cents: number | null) => (cents === null ? null : wholeCents(cents));

const knownCents = (cost: CostEvent | null) =>
  cost === null || cost.costStatus === "unknown" ? null : cost.costCents;

/** Records the program's final cost in place of earlier reports. Returns the agent with its holds. */
const recordSpent = Effect.fnUntraced(function* (
  unit: UnitOfWork,
  { company, agent, project, run, costBefore }: Locked,
  command: FinishRun,
) {
  const cost = command.spent ?? null;
  const recorded =
    company === null || cost === null
      ? { agent, event: costBefore }
      : yield* recordRunCost(unit, {
          payers: { company, agent, project },
          run,
          before: costBefore,
          cost,
        });
  const { event } = recorded;
  if (event !== null)
    yield* actAs(unit, { kind: "agent", agentId: run.agentId, runId: run.id }).log(
      "cost.reported",
      { companyId: run.companyId, id: event.id },
      { costCents: wholeCents(event.costCents), model: event.model, costStatus: event.costStatus },
    );
  return recorded.agent;
});
