import type * as Effect from "effect/Effect";
import type { MonthSpend } from "../../core/costs/budget.ts";
import type { CostEvent } from "../../core/costs/cost-event.ts";
import type { AgentId, CompanyId, IssueId, ProjectId, RunId } from "../../core/shared/ids.ts";
import type { Instant } from "../../core/shared/instant.ts";

/** What a cost is said to belong to. */
export interface AttributionAsked {
  readonly agentId: AgentId;
  readonly runId: RunId | null;
  readonly issueId: IssueId | null;
  readonly projectId: ProjectId | null;
}

/** What a cost belongs to, with what was left out filled in. */
export interface Attribution {
  /** Names of the references that are missing or of another company; a run also where it is another agent's. */
  readonly missing: readonly string[];
  /** What was asked for, else the run's. */
  readonly issueId: IssueId | null;
  /** What was asked for, else the issue's. */
  readonly projectId: ProjectId | null;
  /** Of the run; null where there is none. */
  readonly runStartedAt: Instant | null;
}

export interface CostStore {
  insert(event: CostEvent): Effect.Effect<void>;
  /** The same event, brought up to date. */
  replace(event: CostEvent): Effect.Effect<void>;
  /** What the adapter of a run has said so far; null where it has said nothing. */
  ofRun(runId: RunId): Effect.Effect<CostEvent | null>;
  ofEventId(agentId: AgentId, eventId: string): Effect.Effect<CostEvent | null>;
  attribution(companyId: CompanyId, asked: AttributionAsked): Effect.Effect<Attribution>;
  /**
   * Adds to what agent and company have spent in a month, and answers what that is now. Both counts are held until the
   * end of the transaction.
   */
  count(
    of: { readonly companyId: CompanyId; readonly agentId: AgentId },
    month: Instant,
    cents: number,
  ): Effect.Effect<{ readonly agent: MonthSpend; readonly company: MonthSpend }>;
  /** What an agent or a company has spent in a month. */
  spent(scopeId: AgentId | CompanyId, month: Instant): Effect.Effect<MonthSpend>;
  /** What all events of a run come to. */
  spentByRun(runId: RunId): Effect.Effect<number>;
  /** Notes that the soft alert of a month was given for a budget of so many cents. */
  noteAlert(
    scopeId: AgentId | CompanyId,
    month: Instant,
    budgetCents: number,
    at: Instant,
  ): Effect.Effect<void>;
}
