import * as Effect from "effect/Effect";
import type { Clock } from "../../ports/clock.ts";
import type { Ids } from "../../ports/ids.ts";
import type { Transactor } from "../../ports/transactor.ts";
import { type Actor, actingRun } from "../access/caller.ts";
import { NotAllowed, ReferenceNotFound } from "../shared/failure.ts";
import type { AgentId, CompanyId, CostEventId, IssueId, ProjectId, RunId } from "../shared/ids.ts";
import type { Instant } from "../shared/instant.ts";
import { type CostEvent, CostEventIdReused, saysTheSame, whenOccurred } from "./cost-event.ts";
import { recordCost } from "./record-cost.ts";

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
export const reportCost = (transactor: Transactor, clock: Clock, ids: Ids) => (command: ReportCost) =>
  transactor.transact((stores) =>
    Effect.gen(function* () {
      const { by, agentId, companyId } = command;
      if (by.kind === "agent" && by.agentId !== agentId)
        yield* Effect.fail(new NotAllowed({ path: ["agentId"] }, "An agent reports only its own costs."));
      const runId = command.runId ?? actingRun(by);
      const lockReporter = Effect.all(
        {
          company: stores.companies.lock(companyId),
          agent: stores.agents.lock(agentId).pipe(Effect.mapError(() => ReferenceNotFound.at("agentId"))),
        },
        { concurrency: "unbounded" },
      );
      const { eventId } = command;
      const [reporter, agent, earlier, found] = yield* Effect.all(
        [
          // Of two concurrent reports of one event the second must find the first. Other cases lock last, in
          // recordCost.
          eventId === undefined ? Effect.succeed(null) : lockReporter,
          stores.agents.findInCompany(agentId, companyId),
          eventId === undefined ? Effect.succeed(null) : stores.costs.ofEventId(agentId, eventId),
          stores.costs.attribution(companyId, {
            agentId,
            runId,
            issueId: command.issueId ?? null,
            projectId: command.projectId ?? null,
          }),
        ],
        { concurrency: "unbounded" },
      );
      if (agent === null) yield* Effect.fail(ReferenceNotFound.at("agentId"));
      if (found.missing[0] !== undefined) yield* Effect.fail(ReferenceNotFound.at(found.missing[0]));
      const at = clock.now();
      const ownRunStartedAt = runId === actingRun(by) ? found.runStartedAt : null;
      const occurredAt = yield* Effect.fromResult(
        whenOccurred({ asked: command.occurredAt ?? at, byAgent: by.kind === "agent", ownRunStartedAt, at }),
      );
      const event: CostEvent = {
        id: command.id,
        companyId,
        agentId,
        issueId: found.issueId,
        projectId: found.projectId,
        runId,
        source: "api",
        eventId: command.eventId ?? null,
        provider: command.provider,
        model: command.model,
        billingType: command.billingType ?? "unknown",
        costStatus: command.costCents === undefined ? "unknown" : (command.costStatus ?? "reported"),
        inputTokens: command.inputTokens ?? 0,
        cachedInputTokens: command.cachedInputTokens ?? 0,
        outputTokens: command.outputTokens ?? 0,
        costCents: command.costCents ?? 0,
        occurredAt,
      };
      if (earlier !== null)
        return saysTheSame(earlier, event) ? earlier : yield* Effect.fail(new CostEventIdReused());
      yield* stores.activity.append({
        companyId,
        by,
        at,
        action: "cost.reported",
        entityId: event.id,
        details: { costCents: event.costCents, model: event.model, costStatus: event.costStatus },
      });
      const lockPayers = Effect.all(
        [
          reporter === null ? lockReporter : Effect.succeed(reporter),
          event.projectId === null
            ? Effect.succeed(null)
            : stores.projects
                .lock(event.projectId)
                .pipe(Effect.mapError(() => ReferenceNotFound.at("projectId"))),
        ],
        { concurrency: "unbounded" },
      ).pipe(Effect.map(([payers, project]) => ({ ...payers, project })));
      yield* recordCost(stores, ids, lockPayers, event, null, at);
      return event;
    }),
  );
