import type * as Effect from "effect/Effect";
import type { MonthSpend } from "../../core/model/costs/budget.ts";
import type { CostEvent, NewCost } from "../../core/model/costs/cost-event.ts";
import type { AgentId, CompanyId, IssueId, ProjectId, RunId } from "../../core/model/shared/ids.ts";
import type { Instant } from "../../core/model/shared/instant.ts";

/** The requested attribution of a cost. */
export interface AttributionAsked {
  readonly agentId: AgentId;
  readonly runId: RunId | null;
  readonly issueId: IssueId | null;
  readonly projectId: ProjectId | null;
}

/** The complete attribution of a cost, with derived parts. */
export interface Attribution {
  /** Names of references that are missing or of another company; also of a run of another agent. */
  readonly missing: readonly string[];
  /** The requested issue, otherwise the run's. */
  readonly issueId: IssueId | null;
  /** The requested project, otherwise the issue's. */
  readonly projectId: ProjectId | null;
  /** The start of the run; null without a run. */
  readonly runStartedAt: Instant | null;
  /** The end of the run; null without a run, or where it has not ended. */
  readonly runFinishedAt: Instant | null;
  /** Until when events of the company may be folded; null: none is. */
  readonly foldedBefore: Instant | null;
}

/** Amounts added to the month of an agent, its company and a project. */
export interface CostCount extends Pick<CostEvent, "companyId" | "agentId" | "projectId"> {
  readonly month: Instant;
  /** Exact to a millionth. */
  readonly cents: number;
}

/** The spend of a scope in a month. */
export interface CountedSpend extends MonthSpend {
  readonly scopeId: AgentId | ProjectId | CompanyId;
  readonly month: Instant;
}

export interface CostStore {
  /** Stores events of one company, which is locked; one that replaces another has its id. Reports contain them. */
  record(costs: readonly NewCost[]): Effect.Effect<void>;
  /** Returns what the adapter of a run has reported so far; null where it has reported nothing. */
  ofRun(runId: RunId): Effect.Effect<CostEvent | null>;
  /** Likewise of several runs: one event for each that has reported. */
  ofRuns(runIds: readonly RunId[]): Effect.Effect<readonly CostEvent[]>;
  ofEventId(agentId: AgentId, eventId: string): Effect.Effect<CostEvent | null>;
  attribution(companyId: CompanyId, asked: AttributionAsked): Effect.Effect<Attribution>;
  /**
   * Adds to the spend of company, agents and projects in their months and returns the totals, one per scope and month.
   * Locks them until the end of the transaction. All counts are of one company.
   */
  count(counts: readonly CostCount[]): Effect.Effect<readonly CountedSpend[]>;
  /** Returns a company with events that can be folded before that time; null: no company has any. */
  companyToFold(before: Instant): Effect.Effect<CompanyId | null>;
  /**
   * Deletes events of the company, which is locked, that occurred before the beginning of that month, about so many and the
   * oldest first, and keeps what reports need of them. Those of runs that had not ended by then, or that cost something
   * later, stay.
   */
  fold(companyId: CompanyId, before: Instant, limit: number): Effect.Effect<void>;
  /** Returns the spend of an agent, a project or a company in a month. */
  spent(scopeId: AgentId | ProjectId | CompanyId, month: Instant): Effect.Effect<MonthSpend>;
  /** Sums all events of a run. */
  spentByRun(runId: RunId): Effect.Effect<number>;
  /** Records that the soft alert of a month was given for a budget of so many cents. */
  recordAlert(
    scopeId: AgentId | ProjectId | CompanyId,
    month: Instant,
    budgetCents: number,
    at: Instant,
  ): Effect.Effect<void>;
}
