import type * as Effect from "effect/Effect";
import type { CostEvent, CostEventNotFound } from "../../core/model/costs/cost-event.ts";
import type { Period } from "../../core/model/costs/period.ts";
import type { UsageWindow } from "../../core/model/runs/usage-window.ts";
import type { AgentId, CompanyId, CostEventId, IssueId, ProjectId } from "../../core/model/shared/ids.ts";
import type { Instant } from "../../core/model/shared/instant.ts";
import type { CursorInvalid, Page, PageRequest } from "./page.ts";

/** The sums of a set of cost events. */
export interface CostTotals {
  /** Known costs; tokens without a known cost are counted below, never here. */
  readonly costCents: number;
  /** The part of it that comes from a price list. */
  readonly pricedCents: number;
  readonly inputTokens: number;
  readonly cachedInputTokens: number;
  readonly outputTokens: number;
  readonly eventCount: number;
  readonly unknownEventCount: number;
  /** Tokens of all kinds in events of unknown cost. */
  readonly unknownTokens: number;
}

/** Costs of one agent in a period. */
export interface AgentCosts extends CostTotals {
  readonly agentId: AgentId;
  readonly agentName: string;
  /** Runs that cost something. */
  readonly runCount: number;
  readonly budgetMonthlyCents: number;
}

/** Costs of one project in a period. */
export interface ProjectCosts extends CostTotals {
  /** null: costs without a project. */
  readonly projectId: ProjectId | null;
  readonly projectName: string | null;
  /** null without a project. */
  readonly budgetMonthlyCents: number | null;
}

/** Costs of one issue in a period. */
export interface IssueCosts extends CostTotals {
  /** null: costs without an issue. */
  readonly issueId: IssueId | null;
  readonly issueIdentifier: string | null;
  readonly issueTitle: string | null;
  readonly runCount: number;
}

/** A provider's window of an account that agents of the company use, as a program reported it. */
export interface AccountWindow extends UsageWindow {
  readonly adapterType: string;
  /** The agents of the account, terminated ones not among them. */
  readonly agentIds: readonly AgentId[];
  readonly reportedAt: Instant;
  /** Until when the account's new runs wait; null: they do not. */
  readonly heldUntil: Instant | null;
}

/** Costs of one model of a provider in a period. */
export interface ProviderCosts extends CostTotals {
  readonly provider: string;
  readonly model: string;
  readonly billingType: string;
}

/** Costs of one day. */
export interface DayCosts extends CostTotals {
  /** UTC, `2026-11-21`. */
  readonly day: string;
}

/** Costs of one agent on one day. */
export interface AgentDayCosts extends DayCosts {
  readonly agentId: AgentId;
  readonly agentName: string;
}

/** Costs of the whole company in a period. */
export interface CompanyCosts extends CostTotals {
  /** Monthly budget of the company; 0: no limit. */
  readonly budgetCents: number;
}

/** Selects cost events: all given conditions must hold. */
export interface CostFilter {
  readonly companyId: CompanyId;
  readonly agentId?: AgentId | undefined;
  readonly period: Period;
}

export interface CostViews {
  /** By adapter, account and name. */
  usageWindows(companyId: CompanyId, at: Instant): Effect.Effect<readonly AccountWindow[]>;
  /** The part of the total that an overview needs, for less work. */
  spent(
    companyId: CompanyId,
    period: Period,
  ): Effect.Effect<Pick<CompanyCosts, "costCents" | "unknownEventCount">>;
  total(companyId: CompanyId, period: Period): Effect.Effect<CompanyCosts>;
  /** Most expensive first, as in the following lists except the days. */
  byAgent(companyId: CompanyId, period: Period): Effect.Effect<readonly AgentCosts[]>;
  byProject(companyId: CompanyId, period: Period): Effect.Effect<readonly ProjectCosts[]>;
  /** At most `count` rows. */
  byIssue(companyId: CompanyId, period: Period, count: number): Effect.Effect<readonly IssueCosts[]>;
  byProvider(companyId: CompanyId, period: Period): Effect.Effect<readonly ProviderCosts[]>;
  /** Each day of the period up to today, including those without costs; in order. */
  byDay(
    companyId: CompanyId,
    period: Period,
    agentId: AgentId | undefined,
  ): Effect.Effect<readonly DayCosts[]>;
  /** The days on which an agent used something; by day, the most expensive agent first. */
  byAgentAndDay(companyId: CompanyId, period: Period): Effect.Effect<readonly AgentDayCosts[]>;
  /** Newest first. */
  events(filter: CostFilter, page: PageRequest): Effect.Effect<Page<CostEvent>, CursorInvalid>;
  event(id: CostEventId): Effect.Effect<CostEvent, CostEventNotFound>;
}
