import * as Effect from "effect/Effect";
import type { Sql } from "postgres";
import { type Company, CompanyNotFound } from "../../../core/model/companies/company.ts";
import type { HouseRules } from "../../../core/model/companies/house-rules.ts";
import type { CompanyId } from "../../../core/model/shared/ids.ts";
import type { CompanyStore } from "../../../ports/stores/company-store.ts";
import { companyColumns, houseRulesColumns } from "../columns.ts";
import { lockOfCompany } from "../company-locks.ts";
import { orFail } from "../rows.ts";
import type { Statements } from "../transaction.ts";
import { lockHeldBefore, setBudgetHold } from "./budget-holds.ts";

export const companyStore = (tx: Statements): CompanyStore => ({
  lock: (id) => tx.first(lockCompany(id)).pipe(orFail(() => new CompanyNotFound())),
  ids: () => Effect.map(tx.read(companyIds), (rows) => rows.map(({ id }) => id)),
  status: (id) => tx.first(companyStatus(id)).pipe(orFail(() => new CompanyNotFound())),
  insert: (company, prefix) =>
    Effect.gen(function* () {
      // A concurrent transaction may take a free prefix: then the next attempt looks further.
      for (let count = 8; ; count *= 2) {
        const prefixes = Array.from({ length: count }, (_, n) => prefix(n));
        const issuePrefix = (yield* tx.first(insertCompany(company, prefixes)))?.issuePrefix;
        if (issuePrefix !== undefined) return { ...company, issuePrefix };
      }
    }),
  save: (company) => tx.write(saveCompany(company)),
  setBudgetHold: (id, heldAt) => tx.write(setBudgetHold("companies", id, heldAt)),
  lockBudgetHolds: (id) => tx.write(lockOfCompany("budget holds", id)),
  lockHeldBefore: (at, limit) => tx.read(lockHeldBefore("companies", companyColumns, at, limit)),
  houseRules: (id) => tx.first(latestHouseRules(id)),
  addHouseRules: (rules) => tx.write(insertHouseRules(rules)),
  takeIdentifier: (id) =>
    tx.first(takeIdentifier(id)).pipe(
      orFail(() => new CompanyNotFound()),
      Effect.map(({ identifier }) => identifier),
    ),
});

// A lock is `for no key update` everywhere: others cannot change the row, but can refer to it.
const lockCompany = (id: CompanyId) => (sql: Sql) =>
  sql<Company[]>`
  select  ${companyColumns(sql)}
  from    companies
  where   id = ${id}
  for     no key update
`;

const companyIds = (sql: Sql) => sql<Pick<Company, "id">[]>`
  select    id
  from      companies
  order by  id
`;

const companyStatus = (id: CompanyId) => (sql: Sql) =>
  sql<Pick<Company, "status" | "heldByBudgetAt" | "runner">[]>`
  select  status, held_by_budget_at, runner
  from    companies
  where   id = ${id}
`;

const insertCompany = (company: Company, prefixes: readonly string[]) => (sql: Sql) =>
  sql<{ issuePrefix: string }[]>`
  insert into companies (
    id, name, description, status, issue_prefix, budget_monthly_cents, agent_caused_run_limit, created_at, updated_at
  )
  select    ${company.id}, ${company.name}, ${company.description}, ${company.status}, candidate.prefix,
            ${company.budgetMonthlyCents}, ${company.agentCausedRunLimit}, ${company.createdAt}, ${company.updatedAt}
  from      unnest(${prefixes}::text[]) with ordinality as candidate (prefix, ordinal)
  where     not exists (select from companies where issue_prefix = candidate.prefix)
  order by  ordinal
  limit     1
  on conflict (issue_prefix) do nothing
  returning issue_prefix
`;

const savedColumns = companyColumns.without("id, issue_prefix, held_by_budget_at, created_at");

const saveCompany = (company: Company) => (sql: Sql) =>
  sql`
  update  companies
  set     ${savedColumns.assign(sql, company)}
  where   id = ${company.id}
`;

const latestHouseRules = (id: CompanyId) => (sql: Sql) =>
  sql<HouseRules[]>`
  select    ${houseRulesColumns(sql)}
  from      house_rules
  where     company_id = ${id}
  order by  revision_number desc
  limit     1
`;

const insertHouseRules = (rules: HouseRules) => (sql: Sql) =>
  sql`
  insert into house_rules ${houseRulesColumns.values(sql, rules)}
`;

/** Taken from a sequence, which no transaction locks; a rolled-back one leaves a gap. */
const takeIdentifier = (id: CompanyId) => (sql: Sql) =>
  sql<{ identifier: string }[]>`
  select  issue_prefix || '-' || nextval(issue_numbers_of(id)::regclass) as identifier
  from    companies
  where   id = ${id}
`;
