import * as Effect from "effect/Effect";
import type { Sql } from "postgres";
import { type Company, CompanyNotFound } from "../../../core/model/companies/company.ts";
import type { Goal } from "../../../core/model/goals/goal.ts";
import type { Label } from "../../../core/model/labels/label.ts";
import type { Project } from "../../../core/model/projects/project.ts";
import type { Routine } from "../../../core/model/routines/routine.ts";
import type { Trigger } from "../../../core/model/routines/trigger.ts";
import type { CompanyId } from "../../../core/model/shared/ids.ts";
import type { CompanyRecords } from "../../../core/model/templates/company-records.ts";
import type { AgentInCompany } from "../../../ports/stores/agent-store.ts";
import type { TemplateStore } from "../../../ports/stores/template-store.ts";
import { agentInCompany, companyColumns, goalColumns, labelColumns, projectColumns } from "../columns.ts";
import { routineColumns, triggerColumns } from "../routine-columns.ts";
import { orFail } from "../rows.ts";
import type { Statements } from "../transaction.ts";

export const templateStore = (tx: Statements): TemplateStore => ({
  lock: (companyId) =>
    tx
      .read(lockRoutines(companyId))
      .pipe(
        Effect.andThen(tx.first(lockCompany(companyId)).pipe(orFail(() => new CompanyNotFound()))),
        Effect.asVoid,
      ),
  read: (companyId) =>
    Effect.all(
      {
        company: tx.first(company(companyId)).pipe(orFail(() => new CompanyNotFound())),
        houseRules: tx.first(houseRules(companyId)),
        labels: tx.read(labels(companyId)),
        agents: tx.read(agents(companyId)),
        goals: tx.read(goals(companyId)),
        projects: tx.read(projects(companyId)),
        routines: tx.read(routines(companyId)),
        triggers: tx.read(triggers(companyId)),
        secrets: tx.read(secrets(companyId)),
      },
      { concurrency: "unbounded" },
    ),
});

const lockRoutines = (companyId: CompanyId) => (sql: Sql) =>
  sql<object[]>`
  select    id
  from      routines
  where     company_id = ${companyId}
  order by  id
  for       no key update
`;

const lockCompany = (companyId: CompanyId) => (sql: Sql) =>
  sql<object[]>`
  select  id
  from    companies
  where   id = ${companyId}
  for     no key update
`;

const company = (companyId: CompanyId) => (sql: Sql) =>
  sql<Company[]>`
  select  ${companyColumns(sql)}
  from    companies
  where   id = ${companyId}
`;

const houseRules = (companyId: CompanyId) => (sql: Sql) =>
  sql<NonNullable<CompanyRecords["houseRules"]>[]>`
  select    revision_number, body
  from      house_rules
  where     company_id = ${companyId}
  order by  revision_number desc
  limit     1
`;

const labels = (companyId: CompanyId) => (sql: Sql) =>
  sql<Label[]>`
  select    ${labelColumns(sql)}
  from      labels
  where     company_id = ${companyId}
  order by  created_at, id
`;

const agents = (companyId: CompanyId) => (sql: Sql) =>
  sql<AgentInCompany[]>`
  select    ${agentInCompany(sql)}
  from      agents a
  join      companies c on c.id = a.company_id
  where     a.company_id = ${companyId}
  and       a.lifecycle_state = 'active'
  order by  a.created_at, a.id
`;

const goals = (companyId: CompanyId) => (sql: Sql) =>
  sql<Goal[]>`
  select    ${goalColumns(sql)}
  from      goals
  where     company_id = ${companyId}
  and       archived_at is null
  order by  created_at, id
`;

const projects = (companyId: CompanyId) => (sql: Sql) =>
  sql<Project[]>`
  select    ${projectColumns(sql)}
  from      projects
  where     company_id = ${companyId}
  and       archived_at is null
  order by  created_at, id
`;

const routines = (companyId: CompanyId) => (sql: Sql) =>
  sql<Routine[]>`
  select    ${routineColumns(sql)}
  from      routines
  where     company_id = ${companyId}
  and       status <> 'archived'
  order by  created_at, id
`;

const triggers = (companyId: CompanyId) => (sql: Sql) =>
  sql<Trigger[]>`
  select    ${triggerColumns(sql)}
  from      routine_triggers
  where     company_id = ${companyId}
  and       deleted_at is null
  order by  created_at, id
`;

const secrets = (companyId: CompanyId) => (sql: Sql) =>
  sql<CompanyRecords["secrets"][number][]>`
  select    id, key, status
  from      secrets
  where     company_id = ${companyId}
  order by  key collate "C"
`;
