import * as Result from "effect/Result";
import { refusal } from "../shared/failure.ts";
import type { AgentId, CompanyId, CostEventId, IssueId, ProjectId, RunId } from "../shared/ids.ts";
import { addSeconds, type Instant, monthOf } from "../shared/instant.ts";

/**
 * unknown: the price of the used tokens is unknown; shown separately, never as zero. priced: calculated from a price
 * list.
 */
export const costStatuses = ["reported", "priced", "unknown"] as const;
export type CostStatus = (typeof costStatuses)[number];

export interface CostEvent {
  readonly id: CostEventId;
  readonly companyId: CompanyId;
  readonly agentId: AgentId;
  readonly issueId: IssueId | null;
  readonly projectId: ProjectId | null;
  readonly runId: RunId | null;
  /**
   * adapter: usage that an adapter reports, one event per run, updated while it runs; api: reported by the board or by
   * the agent itself.
   */
  readonly source: "adapter" | "api";
  /** The reporter's key for the event: a repeated one counts once. */
  readonly eventId: string | null;
  readonly provider: string;
  readonly model: string;
  readonly billingType: string;
  readonly costStatus: CostStatus;
  readonly inputTokens: number;
  readonly cachedInputTokens: number;
  readonly outputTokens: number;
  /** 0 where the cost is unknown; exact to a millionth for a run, shown in whole cents. */
  readonly costCents: number;
  readonly occurredAt: Instant;
}

/** A cost to be stored and counted; `replaces` is the one recorded before for the same event. */
export interface NewCost {
  readonly event: CostEvent;
  readonly replaces: CostEvent | null;
}

export class CostEventNotFound extends refusal(
  "cost_event_not_found",
  "not_found",
  "Cost event not found.",
) {}

export class CostTooOld extends refusal(
  "cost_too_old",
  "unprocessable",
  "Agents can report costs from the last hour, or since the start of their run.",
) {}

export class CostsFolded extends refusal(
  "costs_folded",
  "unprocessable",
  "Costs of that time or run have been archived and can no longer change.",
) {}

export interface Occurrence {
  readonly asked: Instant;
  readonly byAgent: boolean;
  /** When the reporting run began; null outside a run. */
  readonly ownRunStartedAt: Instant | null;
  readonly at: Instant;
}

const maxReportAgeSec = 3600;

/**
 * When a reported cost occurred. An agent cannot move costs into a past month: they count from the first instant of the
 * month in which it reports them.
 */
export const whenOccurred = ({
  asked,
  byAgent,
  ownRunStartedAt,
  at,
}: Occurrence): Result.Result<Instant, CostTooOld> => {
  if (!byAgent) return Result.succeed(asked);
  const hourAgo = addSeconds(at, -maxReportAgeSec);
  const earliest = ownRunStartedAt !== null && ownRunStartedAt < hourAgo ? ownRunStartedAt : hourAgo;
  if (asked < earliest) return Result.fail(new CostTooOld({ earliest }));
  const latest = asked > at ? at : asked;
  return Result.succeed(latest < monthOf(at) ? monthOf(at) : latest);
};

/** The time of a cost and of its run, to compare with the time before which events may be folded. */
export interface Fold {
  /** null: no event was folded. */
  readonly before: Instant | null;
  readonly occurredAt: Instant;
  /** The end of the run that cost it; null: none, or it has not ended. */
  readonly runFinishedAt: Instant | null;
}

export const isFolded = ({ before, occurredAt, runFinishedAt }: Fold): boolean =>
  before !== null && (occurredAt < before || (runFinishedAt !== null && runFinishedAt < before));

/** Whether two reports with one eventId are equal. */
export const saysTheSame = (a: CostEvent, b: CostEvent): boolean =>
  (
    [
      "provider",
      "model",
      "billingType",
      "costStatus",
      "inputTokens",
      "cachedInputTokens",
      "outputTokens",
      "costCents",
    ] as const
  ).every((field) => a[field] === b[field]);
