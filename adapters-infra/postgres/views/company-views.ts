import * as Effect from "effect/Effect";
import type { Sql } from "postgres";
import { CompanyNotFound } from "../../../core/model/companies/company.ts";
import type { HouseRules } from "../../../core/model/companies/house-rules.ts";
import type { CompanyId } from "../../../core/model/shared/ids.ts";
import type { Instant } from "../../../core/model/shared/instant.ts";
import type { CompanyRecord, CompanyViews } from "../../../ports/views/company-views.ts";
import { companyColumns, houseRulesColumns } from "../columns.ts";
import { byNumber, readPage } from "../cursor.ts";
import type { Database } from "../database.ts";
import { spentInMonthOf } from "../facts.ts";
import { folded } from "../folded.ts";
import { orFail } from "../rows.ts";

export const companyViews = (database: Database): CompanyViews => ({
  list: (among, at) => database.read(listCompanies(among, at)),
  get: (id, at) => database.first(getCompany(id, at)).pipe(orFail(() => new CompanyNotFound())),
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
  select    ${houseRulesColumns(sql)}
  from      house_rules
  where     company_id = ${id}
  ${before === null ? sql`` : sql`and revision_number < ${before[0]}`}
  order by  revision_number desc
  limit     ${limit}
`;

/** A `CompanyRecord`, of `companies c`. */
const companyRecord = (sql: Sql, at: Instant) => sql`
  ${companyColumns(sql, "c")}, ${spentInMonthOf(sql, sql`c`, at)},
  c.logo_asset_id, '/api/assets/' || c.logo_asset_id || '/content' as logo_url
`;

const listCompanies = (among: readonly CompanyId[] | null, at: Instant) => (sql: Sql) =>
  sql<CompanyRecord[]>`
  select    ${companyRecord(sql, at)}
  from      companies c
  ${among === null ? sql`` : sql`where c.id = any(${among}::uuid[])`}
  order by  ${folded(sql, "c.name")}, c.id
`;

const getNumber = (id: CompanyId) => (sql: Sql) =>
  sql<{ number: number }[]>`
  select  number
  from    companies
  where   id = ${id}
`;

const getCompany = (id: CompanyId, at: Instant) => (sql: Sql) =>
  sql<CompanyRecord[]>`
  select  ${companyRecord(sql, at)}
  from    companies c
  where   c.id = ${id}
`;
