import * as Effect from "effect/Effect";
import * as Result from "effect/Result";
import type { Clock } from "../../ports/clock.ts";
import type { Ids } from "../../ports/ids.ts";
import type { Stores, Transactor } from "../../ports/transactor.ts";
import { type Actor, actingRun } from "../access/caller.ts";
import type { ActivityEntry } from "../activity/activity-entry.ts";
import type { CompanyNotFound } from "../companies/company.ts";
import { IdempotencyKeyReused, NotAllowed, ReferenceNotFound } from "../shared/failure.ts";
import type { AgentId, CompanyId, CostEventId, IssueId, ProjectId, RunId } from "../shared/ids.ts";
import type { Instant } from "../shared/instant.ts";
import { type CostEvent, saysTheSame, whenOccurred } from "./cost-event.ts";
import { type AllPayers, recordCosts } from "./record-cost.ts";

export interface ReportCost {
  readonly id: CostEventId;
  readonly companyId: CompanyId;
  readonly by: Actor;
  readonly agentId: AgentId;
  readonly provider: string;
  readonly model: string;
  readonly inputTokens?: number | undefined;
  readonly cachedInputTokens?: number | undefined;
  readonly outputTokens?: number | undefined;
  /** Missing: the price is unknown. */
  readonly costCents?: number | undefined;
  readonly costStatus?: "reported" | "priced" | undefined;
  readonly billingType?: string | undefined;
  readonly occurredAt?: Instant | undefined;
  /** Missing issue, project and run are those of the caller's run. */
  readonly issueId?: IssueId | undefined;
  readonly projectId?: ProjectId | undefined;
  readonly runId?: RunId | undefined;
  readonly eventId?: string | undefined;
}

/** Records a cost that the board or the agent reports. Repeating an eventId records it once. */
export const reportCost = (transactor: Transactor, clock: Clock, ids: Ids) =>
  transactor.transactInBatches(
    {
      keyOf: ({ companyId }: ReportCost) => companyId,
      apart: ({ agentId, eventId }) => (eventId === undefined ? [] : [`${agentId} ${eventId}`]),
    },
    (stores, reports) => recordReports(stores, ids, reports, clock.now()),
  );

/** Records the reports of one company. A refused one leaves no trace, and does not affect the others. */
const recordReports = Effect.fnUntraced(function* (
  stores: Stores,
  ids: Ids,
  batch: readonly ReportCost[],
  at: Instant,
) {
  // Of two concurrent reports of one event the second must find the first. Other cases lock last, in recordCosts.
  const locksFirst = batch.some(({ eventId }) => eventId !== undefined);
  const [locked, found] = yield* Effect.all(
    [
      locksFirst ? lockReporters(stores, batch) : Effect.succeed(null),
      Effect.forEach(batch, (report) => Effect.result(eventOf(stores, report, at)), {
        concurrency: "unbounded",
      }),
    ],
    { concurrency: "unbounded" },
  );
  const fresh: CostEvent[] = [];
  const entries: ActivityEntry[] = [];
  for (const [n, each] of found.entries()) {
    if (Result.isFailure(each) || each.success.isRecorded) continue;
    const { event } = each.success;
    fresh.push(event);
    entries.push({
      companyId: event.companyId,
      by: batch[n]!.by,
      at,
      action: "cost.reported",
      entityId: event.id,
      details: { costCents: event.costCents, model: event.model, costStatus: event.costStatus },
    });
  }
  if (fresh.length > 0) {
    yield* stores.activity.appendAll(entries);
    const projectIds = fresh.flatMap(({ projectId }) => projectId ?? []);
    const lockPayers = Effect.all(
      [
        locked === null ? lockReporters(stores, fresh) : Effect.succeed(locked),
        lockEach(projectIds, stores.projects.lock, "projectId"),
      ],
      { concurrency: "unbounded" },
    ).pipe(Effect.map(([reporters, projects]) => ({ ...reporters, projects })));
    yield* recordCosts(
      stores,
      ids,
      lockPayers,
      fresh.map((event) => ({ event, replaces: null })),
      at,
    );
  }
  return found.map(Result.map(({ event }) => event));
});

/** Locks the company and the agents, in the order of all locks. */
const lockReporters = (
  stores: Stores,
  costs: readonly Pick<CostEvent, "companyId" | "agentId">[],
): Effect.Effect<Omit<AllPayers, "projects">, CompanyNotFound | ReferenceNotFound> =>
  Effect.all(
    {
      company: stores.companies.lock(costs[0]!.companyId),
      agents: lockEach(
        costs.map(({ agentId }) => agentId),
        stores.agents.lock,
        "agentId",
      ),
    },
    { concurrency: "unbounded" },
  );

/** Locks what the ids name, each once and in ascending order. */
const lockEach = <Id extends string, A, E>(
  ids: readonly Id[],
  lock: (id: Id) => Effect.Effect<A, E>,
  field: string,
): Effect.Effect<readonly A[], ReferenceNotFound> =>
  Effect.forEach(
    [...new Set(ids)].sort(),
    (id) => lock(id).pipe(Effect.mapError(() => ReferenceNotFound.at(field))),
    { concurrency: "unbounded" },
  );

/** The event of a report, with its attribution; refuses what the report must not say. */
const eventOf = Effect.fnUntraced(function* (stores: Stores, report: ReportCost, at: Instant) {
  const { by, agentId, companyId, eventId } = report;
  if (by.kind === "agent" && by.agentId !== agentId)
    yield* Effect.fail(new NotAllowed({ path: ["agentId"] }, "An agent reports only its own costs."));
  const runId = report.runId ?? actingRun(by);
  const [agent, earlier, found] = yield* Effect.all(
    [
      stores.agents.findInCompany(agentId, companyId),
      eventId === undefined ? Effect.succeed(null) : stores.costs.ofEventId(agentId, eventId),
      stores.costs.attribution(companyId, {
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
    whenOccurred({ asked: report.occurredAt ?? at, byAgent: by.kind === "agent", ownRunStartedAt, at }),
  );
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
  // A field that the report leaves out is filled in, and may be another run's when it is repeated.
  const named = (["occurredAt", "issueId", "projectId", "runId"] as const).filter(
    (field) => report[field] !== undefined,
  );
  if (!saysTheSame(earlier, event) || named.some((field) => earlier[field] !== event[field]))
    yield* Effect.fail(
      new IdempotencyKeyReused(undefined, "That eventId was used for another cost of the agent."),
    );
  return { event: earlier, isRecorded: true };
});
