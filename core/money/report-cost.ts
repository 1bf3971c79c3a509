import * as Effect from "effect/Effect";
import * as Result from "effect/Result";
import type { Stores } from "../../ports/transactor.ts";
import { jointUseCase, type UnitOfWork } from "../access/unit-of-work.ts";
import { type Actor, actingRun } from "../model/access/caller.ts";
import { entryAbout } from "../model/activity/activity-entry.ts";
import {
  type CostEvent,
  CostsFolded,
  isFolded,
  saysTheSame,
  whenOccurred,
} from "../model/costs/cost-event.ts";
import { IdempotencyKeyReused, NotAllowed, ReferenceNotFound } from "../model/shared/failure.ts";
import type { IssueId, ProjectId, RunId } from "../model/shared/ids.ts";
import type { Change } from "../model/shared/patch.ts";
import { recordCosts } from "./record-cost.ts";

export interface ReportCost
  extends Pick<CostEvent, "id" | "companyId" | "agentId" | "provider" | "model">,
    Change<CostEvent, "inputTokens" | "cachedInputTokens" | "outputTokens" | "billingType" | "occurredAt"> {
  readonly by: Actor;
  /** Missing: the price is unknown. */
  readonly costCents?: number | undefined;
  readonly costStatus?: "reported" | "priced" | undefined;
  /** Missing issue, project and run are those of the caller's run. */
  readonly issueId?: IssueId | undefined;
  readonly projectId?: ProjectId | undefined;
  readonly runId?: RunId | undefined;
  readonly eventId?: string | undefined;
}

/** Records a cost that the board or the agent reports. Repeating an eventId records it once. */
export const reportCost = jointUseCase(
  "costs.report",
  {
    keyOf: ({ companyId }: ReportCost) => companyId,
    conflictKeys: ({ agentId, eventId }) => (eventId === undefined ? [] : [`${agentId} ${eventId}`]),
  },
  function* (unit, reports: readonly ReportCost[]) {
    return yield* recordReports(unit, reports);
  },
);

/** Records the reports of one company. A refused one leaves no trace, and does not affect the others. */
const recordReports = Effect.fnUntraced(function* (unit: UnitOfWork, reports: readonly ReportCost[]) {
  // Locked before the reads: of two concurrent reports of one event the second must find the first.
  const [company, found] = yield* Effect.all(
    [
      unit.companies.lock(reports[0]!.companyId),
      Effect.forEach(reports, (report) => Effect.result(eventOf(unit, report)), {
        concurrency: "unbounded",
      }),
    ],
    { concurrency: "unbounded" },
  );
  const fresh = found.flatMap((each, n) =>
    Result.isSuccess(each) && !each.success.isRecorded
      ? [{ event: each.success.event, by: reports[n]!.by }]
      : [],
  );
  if (fresh.length > 0) {
    const events = fresh.map(({ event }) => event);
    const payers = { company, ...(yield* lockPayers(unit, events)) };
    yield* unit.activity.appendAll(
      fresh.map(({ event, by }) =>
        entryAbout(event, by, unit.at, "cost.reported" as const, {
          costCents: event.costCents,
          model: event.model,
          costStatus: event.costStatus,
        }),
      ),
    );
    const costs = events.map((event) => ({ event, replaces: null }));
    yield* recordCosts(unit, payers, costs);
  }
  return found.map(Result.map(({ event }) => event));
});

/** Locks the agents and projects of the events, each once and in ascending order. */
const lockPayers = (stores: Stores, events: readonly CostEvent[]) =>
  Effect.all(
    {
      agents: stores.agents.lockAll(events.map(({ agentId }) => agentId)),
      projects: Effect.forEach(
        [...new Set(events.flatMap(({ projectId }) => projectId ?? []))].sort(),
        (id) => Effect.orDie(stores.projects.lock(id)),
        { concurrency: "unbounded" },
      ),
    },
    { concurrency: "unbounded" },
  );

/** The event of a report, with its attribution; refuses invalid claims. */
const eventOf = Effect.fnUntraced(function* (unit: UnitOfWork, report: ReportCost) {
  const { by, agentId, companyId, eventId } = report;
  if (by.kind === "agent" && by.agentId !== agentId)
    yield* Effect.fail(new NotAllowed({ path: ["agentId"] }, "Agents can report only their own costs."));
  const runId = report.runId ?? actingRun(by);
  const [agent, earlier, found] = yield* Effect.all(
    [
      unit.agents.findInCompany(agentId, companyId),
      eventId === undefined ? Effect.succeed(null) : unit.costs.ofEventId(agentId, eventId),
      unit.costs.attribution(companyId, {
        agentId,
        runId,
        issueId: report.issueId ?? null,
        projectId: report.projectId ?? null,
      }),
    ],
    { concurrency: "unbounded" },
  );
  if (agent === null) yield* Effect.fail(ReferenceNotFound.at("agentId"));
  if (found.missing[0] !== undefined) yield* Effect.fail(ReferenceNotFound.at(found.missing[0]));
  const ownRunStartedAt = runId === actingRun(by) ? found.runStartedAt : null;
  const occurredAt = yield* Effect.fromResult(
    whenOccurred({
      asked: report.occurredAt ?? unit.at,
      byAgent: by.kind === "agent",
      ownRunStartedAt,
      at: unit.at,
    }),
  );
  const { foldedBefore: before, runFinishedAt } = found;
  if (earlier === null && isFolded({ before, occurredAt, runFinishedAt }))
    yield* Effect.fail(new CostsFolded({ foldedBefore: before! }));
  const event: CostEvent = {
    id: report.id,
    companyId,
    agentId,
    issueId: found.issueId,
    projectId: found.projectId,
    runId,
    source: "api",
    eventId: eventId ?? null,
    provider: report.provider,
    model: report.model,
    billingType: report.billingType ?? "unknown",
    costStatus: report.costCents === undefined ? "unknown" : (report.costStatus ?? "reported"),
    inputTokens: report.inputTokens ?? 0,
    cachedInputTokens: report.cachedInputTokens ?? 0,
    outputTokens: report.outputTokens ?? 0,
    costCents: report.costCents ?? 0,
    occurredAt,
  };
  if (earlier === null) return { event, isRecorded: false };
  // An omitted field is filled in, and may belong to another run when the report is repeated.
  const named = (["occurredAt", "issueId", "projectId", "runId"] as const).filter(
    (field) => report[field] !== undefined,
  );
  if (!saysTheSame(earlier, event) || named.some((field) => earlier[field] !== event[field]))
    yield* Effect.fail(
      new IdempotencyKeyReused(undefined, "This eventId was used for another cost of the agent."),
    );
  return { event: earlier, isRecorded: true };
});
