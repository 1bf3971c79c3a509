import * as Effect from "effect/Effect";
import type { Sql } from "postgres";
import type { AgentCaller, BoardCaller } from "../../../core/model/access/caller.ts";
import { type Company, CompanyNotFound } from "../../../core/model/companies/company.ts";
import { companyActions } from "../../../core/model/companies/company-actions.ts";
import { companyStatus } from "../../../core/model/companies/company-status.ts";
import type { HouseRules } from "../../../core/model/companies/house-rules.ts";
import type { CompanyId } from "../../../core/model/shared/ids.ts";
import { type Instant, monthOf } from "../../../core/model/shared/instant.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { CompanyView, CompanyViews, ShownCompanyView } from "../../../ports/views/company-views.ts";
import { byNumber, readPage } from "../cursor.ts";
import type { Database } from "../database.ts";
import { orFail } from "../rows.ts";

export const companyViews = (database: Database, clock: Clock): CompanyViews => ({
  list: (among, statuses, caller) =>
    Effect.suspend(() => {
      const at = clock.now();
      return database
        .read(listCompanies(among, at))
        .pipe(
          Effect.map((rows) =>
            rows.map((row) => shownTo(caller, row, at)).filter(({ status }) => statuses.includes(status)),
          ),
        );
    }),
  get: (id) =>
    Effect.suspend(() => {
      const at = clock.now();
      return database.first(getCompany(id, at)).pipe(
        orFail(() => new CompanyNotFound()),
        Effect.map((row) => viewOf(row, at)),
      );
    }),
  shown: (id, caller) =>
    Effect.suspend(() => {
      const at = clock.now();
      return database.first(getCompany(id, at)).pipe(
        orFail(() => new CompanyNotFound()),
        Effect.map((row) => shownTo(caller, row, at)),
      );
    }),
  houseRules: (id) =>
    database.read(listHouseRules(id)(null, 1)).pipe(Effect.map(([latest]) => latest ?? null)),
  houseRulesRevisions: (id, page) =>
    readPage(
      database,
      { kind: "house rules", of: { id } },
      byNumber<HouseRules>(({ revisionNumber }) => revisionNumber),
      page,
      listHouseRules(id),
    ),
  numberOf: (id) =>
    database.first(getNumber(id)).pipe(
      orFail(() => new CompanyNotFound()),
      Effect.map(({ number }) => number),
    ),
});

const listHouseRules =
  (id: CompanyId) => (before: readonly [number: number] | null, limit: number) => (sql: Sql) =>
    sql<HouseRules[]>`
  select    company_id, revision_number, body, created_by_user_id, created_at
  from      house_rules
  where     company_id = ${id}
  ${before === null ? sql`` : sql`and revision_number < ${before[0]}`}
  order by  revision_number desc
  limit     ${limit}
`;

/** A company with the facts that determine its status. */
type CompanyRow = Omit<CompanyView, "pauseReason"> & Pick<Company, "heldByBudgetAt">;

const viewOf = ({ heldByBudgetAt, ...row }: CompanyRow, at: Instant): CompanyView => ({
  ...row,
  ...companyStatus({ status: row.status, heldByBudgetAt }, at),
});

const shownTo = (caller: BoardCaller | AgentCaller, row: CompanyRow, at: Instant): ShownCompanyView => ({
  ...viewOf(row, at),
  callerMay: companyActions(
    { status: row.status, heldByBudgetAt: row.heldByBudgetAt, at },
    { caller, companyId: row.id, companyStatus: row.status },
  ),
});

/** A `CompanyRow`, of `companies c`. */
const companyRow = (sql: Sql, at: Instant) => sql`
  c.id, c.name, c.description, c.status, c.held_by_budget_at, c.issue_prefix, c.budget_monthly_cents, c.runner,
  c.agent_caused_run_limit,
  floor(coalesce((
    select  spent_cents
    from    budget_months
    where   scope_id = c.id
    and     month = ${monthOf(at)}
  ), 0)) as spent_monthly_cents,
  c.logo_asset_id, '/api/assets/' || c.logo_asset_id || '/content' as logo_url, c.created_at, c.updated_at
`;

const listCompanies = (among: readonly CompanyId[] | null, at: Instant) => (sql: Sql) =>
  sql<CompanyRow[]>`
  select    ${companyRow(sql, at)}
  from      companies c
  ${among === null ? sql`` : sql`where c.id = any(${among}::uuid[])`}
  order by  lower(c.name), c.id
`;

const getNumber = (id: CompanyId) => (sql: Sql) =>
  sql<{ number: number }[]>`
  select  number
  from    companies
  where   id = ${id}
`;

const getCompany = (id: CompanyId, at: Instant) => (sql: Sql) =>
  sql<CompanyRow[]>`
  select  ${companyRow(sql, at)}
  from    companies c
  where   c.id = ${id}
`;
