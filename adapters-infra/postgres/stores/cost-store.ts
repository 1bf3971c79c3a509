import * as Effect from "effect/Effect";
import type { Sql } from "postgres";
import { type MonthSpend, noSpend } from "../../../core/model/costs/budget.ts";
import type { CostEvent } from "../../../core/model/costs/cost-event.ts";
import type { AgentId, CompanyId, RunId } from "../../../core/model/shared/ids.ts";
import type { Instant } from "../../../core/model/shared/instant.ts";
import type {
  Attribution,
  AttributionAsked,
  CostCount,
  CostStore,
  CountedSpend,
} from "../../../ports/stores/cost-store.ts";
import { costEventColumns } from "../columns.ts";
import { columnsOf } from "../columns-of.ts";
import { json } from "../rows.ts";
import type { Statements } from "../transaction.ts";
import { companyToFold, foldEvents, recordFold } from "./cost-folds.ts";
import { addToDays, addToIssueMonths, addToRunDays } from "./cost-sums.ts";

export const costStore = (tx: Statements): CostStore => ({
  record: Effect.fnUntraced(function* (costs) {
    const first = costs[0];
    if (first === undefined) return;
    const fresh = costs.filter(({ replaces }) => replaces === null).map(({ event }) => event);
    if (fresh.length > 0) yield* tx.write(insertCostEvents(fresh));
    for (const { event, replaces } of costs) if (replaces !== null) yield* tx.write(replaceCostEvent(event));
    // The lock of the company alone guards the sums that reports read.
    const { companyId } = first.event;
    yield* tx.write(addToDays(companyId, costs));
    yield* tx.write(addToIssueMonths(companyId, costs));
    if (fresh.some(({ runId }) => runId !== null)) yield* tx.write(addToRunDays(companyId, costs));
  }),
  ofRun: (runId) => tx.first(costOfRuns([runId])),
  ofRuns: (runIds) => tx.read(costOfRuns(runIds)),
  ofEventId: (agentId, eventId) => tx.first(costOfEventId(agentId, eventId)),
  attribution: (companyId, asked) =>
    tx.first(attribution(companyId, asked)).pipe(
      Effect.map((row) => {
        const found = row ?? {
          runFound: true,
          issueFound: true,
          projectFound: true,
          issueId: null,
          projectId: null,
          runStartedAt: null,
          runFinishedAt: null,
          foldedBefore: null,
        };
        return {
          missing: [
            ...(found.runFound ? [] : ["runId"]),
            ...(found.issueFound ? [] : ["issueId"]),
            ...(found.projectFound ? [] : ["projectId"]),
          ],
          issueId: found.issueId,
          projectId: found.projectId,
          runStartedAt: found.runStartedAt,
          runFinishedAt: found.runFinishedAt,
          foldedBefore: found.foldedBefore,
        };
      }),
    ),
  count: (counts) => (counts.length === 0 ? Effect.succeed([]) : tx.read(countCosts(counts))),
  companyToFold: (before) =>
    tx.first(companyToFold(before)).pipe(Effect.map((row) => row?.companyId ?? null)),
  fold: Effect.fnUntraced(function* (companyId, before, limit) {
    yield* tx.write(recordFold(companyId, before));
    yield* tx.write(foldEvents(companyId, before, limit));
  }),
  spent: (scopeId, month) => tx.first(spentIn(scopeId, month)).pipe(Effect.map((spend) => spend ?? noSpend)),
  spentByRun: (runId) => tx.first(spentByRun(runId)).pipe(Effect.map((row) => row?.spentCents ?? 0)),
  recordAlert: (scopeId, month, budgetCents, at) => tx.write(recordAlert(scopeId, month, budgetCents, at)),
});

const insertCostEvents = (events: readonly CostEvent[]) => (sql: Sql) =>
  sql`
  insert into cost_events (
    id, company_id, agent_id, issue_id, project_id, run_id, source, event_id, provider, model, billing_type,
    cost_status, input_tokens, cached_input_tokens, output_tokens, cost_cents, occurred_at, created_at
  )
  select  id, "companyId", "agentId", "issueId", "projectId", "runId", source, "eventId", provider, model, "billingType",
          "costStatus", "inputTokens", "cachedInputTokens", "outputTokens", "costCents", "occurredAt", now()
  from    jsonb_to_recordset(${json(sql, events)}) as event (
            id uuid, "companyId" uuid, "agentId" uuid, "issueId" uuid, "projectId" uuid, "runId" uuid, source text,
            "eventId" text, provider text, model text, "billingType" text, "costStatus" text, "inputTokens" bigint,
            "cachedInputTokens" bigint, "outputTokens" bigint, "costCents" numeric, "occurredAt" timestamptz
          )
`;

const replacedColumns = columnsOf(`
  provider, model, billing_type, cost_status, input_tokens, cached_input_tokens, output_tokens, cost_cents
`);

const replaceCostEvent = (event: CostEvent) => (sql: Sql) =>
  sql`
  update  cost_events
  set     ${replacedColumns.assign(sql, event)}
  where   id = ${event.id}
`;

const costOfRuns = (runIds: readonly RunId[]) => (sql: Sql) =>
  sql<CostEvent[]>`
  select  ${costEventColumns(sql)}, cost_cents
  from    cost_events
  where   run_id = any(${runIds}::uuid[])
  and     source = 'adapter'
`;

const spentByRun = (runId: RunId) => (sql: Sql) =>
  sql<{ spentCents: number }[]>`
  select  coalesce(sum(cost_cents), 0) as spent_cents
  from    cost_events
  where   run_id = ${runId}
`;

const costOfEventId = (agentId: AgentId, eventId: string) => (sql: Sql) =>
  sql<CostEvent[]>`
  select  ${costEventColumns(sql)}, cost_cents
  from    cost_events
  where   agent_id = ${agentId}
  and     event_id = ${eventId}
`;

interface AttributionRow extends Omit<Attribution, "missing"> {
  readonly runFound: boolean;
  readonly issueFound: boolean;
  readonly projectFound: boolean;
}

const attribution = (companyId: CompanyId, asked: AttributionAsked) => (sql: Sql) =>
  sql<AttributionRow[]>`
  select    asked.run_id is null or run.id is not null                             as run_found,
            coalesce(asked.issue_id, run.issue_id) is null or issue.id is not null as issue_found,
            asked.project_id is null or project.id is not null                     as project_found,
            issue.id                                                               as issue_id,
            coalesce(asked.project_id, issue.project_id)                           as project_id,
            run.started_at                                                         as run_started_at,
            run.finished_at                                                        as run_finished_at,
            fold.before                                                            as folded_before
  from      (
              select  ${asked.runId}::uuid as run_id, ${asked.issueId}::uuid as issue_id,
                      ${asked.projectId}::uuid as project_id
            ) as asked
  left join runs run on run.id = asked.run_id and run.company_id = ${companyId} and run.agent_id = ${asked.agentId}
  left join issues issue on issue.id = coalesce(asked.issue_id, run.issue_id) and issue.company_id = ${companyId}
  left join projects project on project.id = asked.project_id and project.company_id = ${companyId}
left join cost_folds fold on fold.company_id = ${companyId}
`;

/** Locks the company first, as all locks do. */
const countCosts = (counts: readonly CostCount[]) => (sql: Sql) =>
  sql<CountedSpend[]>`
  insert into budget_months (company_id, scope_id, month, spent_cents)
  select      "companyId", scope_id, month, sum(cents)
  from        jsonb_to_recordset(${json(sql, counts)}) as count (
                "companyId" uuid, "agentId" uuid, "projectId" uuid, month timestamptz, cents numeric(30, 6)
              ),
              unnest(array["companyId", "agentId", "projectId"]) as scope_id
  where       scope_id is not null
  group by    "companyId", scope_id, month
  order by    scope_id = "companyId" desc, scope_id, month
  on conflict (scope_id, month) do update
  set         spent_cents = budget_months.spent_cents + excluded.spent_cents
  returning   scope_id, month, spent_cents, alerted_at, alerted_budget_cents
`;

const spentIn = (scopeId: string, month: Instant) => (sql: Sql) =>
  sql<MonthSpend[]>`
  select  spent_cents, alerted_at, alerted_budget_cents
  from    budget_months
  where   scope_id = ${scopeId}
  and     month = ${month}
`;

const recordAlert = (scopeId: string, month: Instant, budgetCents: number, at: Instant) => (sql: Sql) =>
  sql`
  update  budget_months
  set     alerted_at           = ${at},
          alerted_budget_cents = ${budgetCents}
  where   scope_id = ${scopeId}
  and     month = ${month}
`;
