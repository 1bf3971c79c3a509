import type { Sql } from "postgres";
import type { CostEvent } from "../../../core/costs/cost-event.ts";
import type { CostStore } from "../../../ports/stores/cost-store.ts";
import type { Statements } from "../transaction.ts";

export const costStore = (tx: Statements): CostStore => ({
  insert: (event) => tx.write(insertCostEvent(event)),
});

const insertCostEvent = (event: CostEvent) => (sql: Sql) =>
  sql`
  insert into cost_events (
    id, company_id, agent_id, issue_id, project_id, run_id, provider, model, billing_type, cost_status,
    input_tokens, cached_input_tokens, output_tokens, cost_cents, occurred_at, created_at
  )
  values (
    ${event.id}, ${event.companyId}, ${event.agentId}, ${event.issueId}, ${event.projectId}, ${event.runId},
    ${event.provider}, ${event.model}, ${event.billingType}, ${event.costStatus}, ${event.inputTokens},
    ${event.cachedInputTokens}, ${event.outputTokens}, ${event.costCents}, ${event.occurredAt}, now()
  )
`;
