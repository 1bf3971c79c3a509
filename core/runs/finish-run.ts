import * as Effect from "effect/Effect";
import type { Clock } from "../../ports/clock.ts";
import type { Ids } from "../../ports/ids.ts";
import type { AgentInCompany } from "../../ports/stores/agent-store.ts";
import type { Stores, Transactor } from "../../ports/transactor.ts";
import { bySystem } from "../access/caller.ts";
import type { Company } from "../companies/company.ts";
import { wholeCents } from "../costs/cents.ts";
import type { CostEvent } from "../costs/cost-event.ts";
import { type RunCost, recordRunCost } from "../costs/record-cost.ts";
import type { Project } from "../projects/project.ts";
import type { Instant } from "../shared/instant.ts";
import { holdUntil } from "./account-hold.ts";
import { endRuns, type Remains } from "./end-runs.ts";
import { followRun } from "./follow-run.ts";
import { type Accident, agentErrorAfter, judge, type Run, type RunOutcome } from "./run.ts";
import { taskKeyOf } from "./task-key.ts";

export interface FinishRun {
  readonly run: Pick<Run, "id" | "companyId" | "agentId" | "issueId">;
  readonly outcome: RunOutcome | Accident;
  /** The time before which the provider allows no run of this adapter and account. */
  readonly retryNotBefore?: Instant | null;
  readonly lastOutput: string | null;
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
export const finishRun = (transactor: Transactor, clock: Clock, ids: Ids) => (command: FinishRun) =>
  transactor.transact((stores) =>
    Effect.gen(function* () {
      const { companyId, agentId, issueId } = command.run;
      const [company, agent, project, issue, run, costBefore] = yield* Effect.all(
        [
          command.spent ? stores.companies.lock(companyId) : Effect.succeed(null),
          stores.agents.lock(agentId),
          command.spent ? stores.projects.lockOfRun(command.run.id) : Effect.succeed(null),
          issueId === null ? Effect.succeed(null) : stores.issues.lock(issueId),
          stores.runs.lock(command.run.id),
          stores.costs.ofRun(command.run.id),
        ],
        { concurrency: "unbounded" },
      ).pipe(Effect.orDie);
      const at = clock.now();
      const verdict = judge(run, command.outcome);
      const ended = yield* endRuns(stores, [run], verdict, at, remainsOf(command, costBefore));
      if (ended === null) return null;
      yield* keepSession(stores, run, command.session, at);
      yield* stores.activity.append({
        companyId,
        by: bySystem,
        at,
        action: "heartbeat.finished",
        entityId: run.id,
        details: { agentId, status: verdict.status, errorCode: verdict.errorCode },
      });
      const payer = yield* recordSpent(stores, ids, {
        company,
        agent,
        project,
        run,
        costBefore,
        command,
        at,
      });
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
      const claimed = ended.left.filter(({ id }) => id !== run.issueId);
      yield* followRun(stores, ids, { run, agent: payer, issue, claimed, verdict, heldUntil, at });
      return verdict;
    }),
  );

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

/** Stores or deletes the session that the next run of the task resumes. */
const keepSession = Effect.fnUntraced(function* (
  stores: Stores,
  { companyId, agentId, adapterType, id, issueId }: Run,
  session: FinishRun["session"],
  at: Instant,
) {
  const taskKey = taskKeyOf({ issueId });
  if (session === "clear") yield* stores.runs.clearSession(agentId, adapterType, taskKey);
  else if (session)
    yield* stores.runs.saveSession({
      companyId,
      agentId,
      adapterType,
      taskKey,
      params: session.params,
      displayId: session.displayId,
      lastRunId: id,
      updatedAt: at,
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

interface Spending {
  /** Locked where the program reported usage. */
  readonly company: Company | null;
  readonly agent: AgentInCompany;
  /** The project that the cost counts for; locked likewise. */
  readonly project: Project | null;
  readonly run: Run;
  readonly costBefore: CostEvent | null;
  readonly command: FinishRun;
  readonly at: Instant;
}

/** Records the program's final cost in place of earlier reports. Returns the agent with its holds. */
const recordSpent = Effect.fnUntraced(function* (stores: Stores, ids: Ids, spending: Spending) {
  const { company, agent, project, run, costBefore, command, at } = spending;
  const cost = command.spent ?? null;
  const recorded =
    company === null || cost === null
      ? { agent, event: costBefore }
      : yield* recordRunCost(stores, ids, {
          payers: { company, agent, project },
          run,
          before: costBefore,
          cost,
          at,
        });
  const { event } = recorded;
  if (event !== null)
    yield* stores.activity.append({
      companyId: run.companyId,
      by: { kind: "agent", agentId: run.agentId, runId: run.id },
      at,
      action: "cost.reported",
      entityId: event.id,
      details: { costCents: wholeCents(event.costCents), model: event.model, costStatus: event.costStatus },
    });
  return recorded.agent;
});
