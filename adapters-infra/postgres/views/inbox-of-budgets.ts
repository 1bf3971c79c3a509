import type { Sql } from "postgres";
import type { BudgetScope } from "../../../core/model/activity/activity-entry.ts";
import { needToRaise } from "../../../core/model/costs/raise-budget.ts";
import { constantOf } from "../facts.ts";
import { budgetHolds } from "../holds.ts";
import { entryOf } from "./inbox-columns.ts";

/** The rows with a budget. */
const scopes = {
  agent: { table: "agents", company: "company_id" },
  project: { table: "projects", company: "company_id" },
  company: { table: "companies", company: "id" },
} as const satisfies Readonly<Record<BudgetScope, unknown>>;

const onlyActive = (subject: BudgetScope, sql: Sql) =>
  subject === "agent" ? sql`and agent.lifecycle_state = 'active'` : sql``;

/** Budgets of one scope that have stopped work this month; everyone who directs work sees them. Reads `r` and `scope`. */
export const budgetStops = (subject: BudgetScope, sql: Sql) => {
  const { table, company } = scopes[subject];
  const budgeted = sql.unsafe(subject);
  return sql`
    select  ${entryOf(sql, {
      kind: sql`'budget_stop'`,
      subject,
      id: sql`${budgeted}.id`,
      title: sql`${budgeted}.name`,
      detail: sql`jsonb_build_object('budgetCents', ${budgeted}.budget_monthly_cents)`,
      since: sql`${budgeted}.held_by_budget_at`,
      version: sql`''`,
      agent: subject === "agent",
    })}
    from    r
    join    ${sql.unsafe(table)} ${budgeted} on ${budgeted}.${sql.unsafe(company)} = r.company_id
    where   r.name = 'operator'
    and     ${budgetHolds(sql, sql`${budgeted}.held_by_budget_at`, sql`(select budgets_hold_from from scope)`)}
    ${onlyActive(subject, sql)}
  `;
};

/** Budgets of one scope that are past their alert this month and have not stopped work. Reads `r` and `scope`. */
export const budgetAlerts = (subject: BudgetScope, sql: Sql) => {
  const { table } = scopes[subject];
  const budgeted = sql.unsafe(subject);
  return sql`
    select  ${entryOf(sql, {
      kind: sql`'budget_alert'`,
      subject,
      id: sql`${budgeted}.id`,
      title: sql`${budgeted}.name`,
      detail: sql`jsonb_build_object('spentCents', floor(spent.spent_cents), 'budgetCents', ${budgeted}.budget_monthly_cents)`,
      since: sql`spent.alerted_at`,
      version: sql`spent.alerted_at`,
      agent: subject === "agent",
    })}
    from    r
    join    budget_months spent on spent.company_id = r.company_id and spent.month = (select month from scope)
    join    ${sql.unsafe(table)} ${budgeted} on ${budgeted}.id = spent.scope_id
    where   r.name = ${sql.unsafe(constantOf(needToRaise[subject].board))}
    and     spent.alerted_at is not null
    and     ${budgeted}.budget_monthly_cents > 0
    and     spent.spent_cents * 100 >= ${budgeted}.budget_monthly_cents * (select alert_percent from scope)
    and     not coalesce(${budgetHolds(sql, sql`${budgeted}.held_by_budget_at`, sql`(select budgets_hold_from from scope)`)}, false)
    ${onlyActive(subject, sql)}
  `;
};
