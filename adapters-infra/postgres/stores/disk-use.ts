import * as Effect from "effect/Effect";
import type { Sql } from "postgres";
import {
  type CompanyDiskUse,
  type DiskKind,
  type DiskUse,
  diskKinds,
} from "../../../core/model/companies/disk-use.ts";
import type { CompanyId } from "../../../core/model/shared/ids.ts";
import type { Instant } from "../../../core/model/shared/instant.ts";
import { json } from "../rows.ts";
import type { Statements } from "../transaction.ts";

/** Tables that are not the work itself. */
const kindOf: Readonly<Record<string, DiskKind>> = {
  activity: "activity",
  secret_access_events: "activity",
  runs: "runs",
  run_events: "runs",
  run_log_segments: "runs",
  wakes: "runs",
  task_sessions: "runs",
  cost_events: "costs",
  cost_days: "costs",
  cost_run_days: "costs",
  cost_issue_months: "costs",
  cost_issue_days: "costs",
  budget_months: "costs",
};

/** Rows of a table that a sample has, about. */
const sampledRows = 20_000;

export const measureDisk = (tx: Statements): Effect.Effect<readonly CompanyDiskUse[]> =>
  Effect.gen(function* () {
    const bytes = new Map<CompanyId, Record<DiskKind, number>>();
    const add = (companyId: CompanyId, kind: DiskKind, more: number) => {
      const use = bytes.get(companyId) ?? none();
      use[kind] += Math.round(more);
      bytes.set(companyId, use);
    };
    for (const { companyId, files, logs } of yield* tx.read(stored)) {
      add(companyId, "files", files);
      add(companyId, "logs", logs);
    }
    for (const { name, size, rows } of yield* tx.read(tablesOfCompanies)) {
      const sample = yield* tx.read(sampleOf(name, Math.min(100, (100 * sampledRows) / Math.max(1, rows))));
      const all = sample.reduce((sum, one) => sum + one.rows, 0);
      for (const one of sample) add(one.companyId, kindOf[name] ?? "work", (size * one.rows) / all);
    }
    return [...bytes].map(([companyId, use]) => ({ companyId, ...use }));
  });

const none = () => Object.fromEntries(diskKinds.map((kind) => [kind, 0])) as Record<DiskKind, number>;

const stored = (sql: Sql) => sql<{ companyId: CompanyId; files: number; logs: number }[]>`
  select    company_id, sum(files)::float8 as files, sum(logs)::float8 as logs
  from      (
              select company_id, byte_size as files, 0 as logs from assets
              union all
              select company_id, 0, bytes from run_log_segments
            ) as blob
  group by  company_id
`;

/** With their indexes and long values. */
const tablesOfCompanies = (sql: Sql) => sql<{ name: string; size: number; rows: number }[]>`
  select  class.relname as name, pg_total_relation_size(class.oid)::float8 as size, class.reltuples::float8 as rows
  from    pg_class class
  join    pg_attribute attribute on attribute.attrelid = class.oid and attribute.attname = 'company_id'
  where   class.relnamespace = 'public'::regnamespace
  and     class.relkind = 'r'
`;

const sampleOf = (table: string, percent: number) => (sql: Sql) =>
  sql<{ companyId: CompanyId; rows: number }[]>`
  select    company_id, count(*)::float8 as rows
  from      ${sql(table)} tablesample system (${percent}::float8)
  where     company_id is not null
  group by  company_id
`;

/** Returns a row where the last measurement was begun before that time, or found no company yet. Others wait for its end. */
export const beginDiskUse = (at: Instant, before: Instant) => (sql: Sql) =>
  sql<{ name: string }[]>`
  insert into instance_settings as setting (name, value)
  values ('disk', jsonb_build_object('at', ${at}::text, 'companies', jsonb_build_array()))
  on conflict (name) do update
  set    value = jsonb_set(setting.value, '{at}', to_jsonb(${at}::text))
  where  setting.value ->> 'at' < ${before}
  or     setting.value -> 'companies' = '[]'
  returning name
`;

export const saveDiskUse = (use: DiskUse) => (sql: Sql) =>
  sql`
  update  instance_settings
  set     value = ${json(sql, use)}
  where   name = 'disk'
`;
