import * as Effect from "effect/Effect";
import type { Sql } from "postgres";
import { CompanyNotFound, type CompanyStatus } from "../../../core/companies/company.ts";
import type { CompanyId } from "../../../core/shared/ids.ts";
import type { CompanyView, CompanyViews } from "../../../ports/views/company-views.ts";
import type { Database } from "../database.ts";
import { orFail } from "../rows.ts";

export const companyViews = (database: Database): CompanyViews => ({
  list: (among, statuses) => database.read(listCompanies(among, statuses)),
  get: (id) => database.first(getCompany(id)).pipe(orFail(() => new CompanyNotFound())),
  numberOf: (id) =>
    database.first(getNumber(id)).pipe(
      orFail(() => new CompanyNotFound()),
      Effect.map(({ number }) => number),
    ),
});

/** Of `companies c`: what is held by its budget is paused, for as long as the month of the hold. */
const shownStatus = (sql: Sql) => sql`
  case
    when c.status = 'active' and c.held_by_budget_at >= date_trunc('month', now(), 'UTC') then 'paused'
    else c.status
  end
`;

/** Of `companies c`. */
const companyView = (sql: Sql) => sql`
  c.id, c.name, c.description, ${shownStatus(sql)} as status,
  case
    when c.status = 'paused' then 'manual'
    when ${shownStatus(sql)} = 'paused' then 'budget'
  end as pause_reason,
  c.issue_prefix, c.budget_monthly_cents,
  floor(coalesce((
    select  spent_cents
    from    budget_months
    where   scope_id = c.id
    and     month = date_trunc('month', now(), 'UTC')
  ), 0)) as spent_monthly_cents,
  c.logo_asset_id, '/api/assets/' || c.logo_asset_id || '/content' as logo_url, c.created_at, c.updated_at
`;

const listCompanies =
  (among: readonly CompanyId[] | null, statuses: readonly CompanyStatus[]) => (sql: Sql) =>
    sql<CompanyView[]>`
  select    ${companyView(sql)}
  from      companies c
  where     ${shownStatus(sql)} = any(${statuses}::text[])
  ${among === null ? sql`` : sql`and c.id = any(${among}::uuid[])`}
  order by  lower(c.name), c.id
`;

const getNumber = (id: CompanyId) => (sql: Sql) =>
  sql<{ number: number }[]>`
  select  number
  from    companies
  where   id = ${id}
`;

const getCompany = (id: CompanyId) => (sql: Sql) =>
  sql<CompanyView[]>`
  select  ${companyView(sql)}
  from    companies c
  where   c.id = ${id}
`;
