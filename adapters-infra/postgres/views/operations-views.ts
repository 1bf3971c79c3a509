import * as Effect from "effect/Effect";
import type { Sql } from "postgres";
import type { ScheduledBackups } from "../../../core/model/backups/backup-schedule.ts";
import type { ManualBackups } from "../../../core/model/backups/without-backup.ts";
import type { Instant } from "../../../core/model/shared/instant.ts";
import type {
  NamedDiskUse,
  Operations,
  OperationsViews,
  PackNotWhole,
  UncapturedWork,
} from "../../../ports/views/operations-views.ts";
import type { Database } from "../database.ts";
import { readOnly } from "../database-failure.ts";
import { fromJsonRow, type JsonRow } from "../json-rows.ts";
import { waitsForMoreThanSlot } from "../queue-waits.ts";

export const operationsViews = (database: Database): OperationsViews => ({
  // In addition to the connections that requests wait for, because health is answered under any load.
  now: (at) =>
    Effect.flatMap(database.lookUp(operations(at)), (row) => {
      const { isReadOnly, ...now } = row!;
      if (!isReadOnly) return Effect.succeed({ ...now, accountsHeld: now.accountsHeld.map(accountOf) });
      database.connections.renew();
      return Effect.die(readOnly());
    }),
  backups: () => Effect.map(database.lookUp(backups), (row) => row?.value ?? null),
  manualBackups: () => Effect.map(database.lookUp(manualBackups), (row) => row!),
  uncaptured: (limit) => Effect.map(database.lookUp(uncaptured(limit)), (row) => row?.found ?? []),
  packsNotWhole: (limit) => Effect.map(database.lookUp(packsNotWhole(limit)), (row) => row?.found ?? []),
  disk: () => database.lookUp(disk),
});

const accountOf = fromJsonRow<Operations["accountsHeld"][number]>({ notBefore: true });

interface OperationsRow extends Omit<Operations, "accountsHeld"> {
  readonly accountsHeld: readonly JsonRow[];
  /** Nothing can be stored: the server has become a standby, or its disk is nearly full. */
  readonly isReadOnly: boolean;
}

const backups = (sql: Sql) => sql<{ value: ScheduledBackups | null }[]>`
  select  value
  from    instance_settings
  where   name = 'backups'
`;

const manualBackups = (sql: Sql) => sql<ManualBackups[]>`
  select  (select min(applied_at) from schema_migrations)                      as installed_at,
          (select value from instance_settings where name = 'manual_backup') as last
`;

/** Does not read issues: health is answered while a statement has that table for itself. */
const uncaptured = (limit: number) => (sql: Sql) =>
  sql<{ found: readonly UncapturedWork[] | null }[]>`
  select  jsonb_agg(
            jsonb_build_object('workspaceId', id, 'companyName', company, 'branch', branch, 'problem', problem)
          ) as found
  from    (
            select    workspace.id,
                      company.name as company,
                      (select min(branch collate "C") from issue_branches work where work.issue_id = workspace.issue_id) as branch,
                      workspace.problem
            from      issue_workspaces workspace
            join      companies company on company.id = workspace.company_id
            where     workspace.uncaptured_run_id is not null
            and       workspace.problem is not null
            order by  workspace.id
            limit     ${limit}
          ) first
`;

/** As above, without a look at issues. */
const packsNotWhole = (limit: number) => (sql: Sql) =>
  sql<{ found: readonly PackNotWhole[] | null }[]>`
  select  jsonb_agg(
            jsonb_build_object('runId', run_id, 'companyName', company, 'branch', branch, 'problem', pack_problem)
          ) as found
  from    (
            select    work.run_id, company.name as company, branch.branch, work.pack_problem
            from      run_works work
            join      companies company on company.id = work.company_id
            join      issue_branches branch
            on        branch.issue_id = work.issue_id
            and       branch.repository_id = work.repository_id
            where     work.pack_problem is not null
            order by  work.run_id, work.repository_id
            limit     ${limit}
          ) first
`;

/** Nothing until the first measurement has ended. */
const disk = (sql: Sql) => sql<NamedDiskUse[]>`
  select  value ->> 'at' as at,
          (
            select  jsonb_agg(use || jsonb_build_object('companyName', company.name))
            from    jsonb_array_elements(value -> 'companies') as use
            join    companies company on company.id = (use ->> 'companyId')::uuid
          ) as companies,
          (
            select  coalesce(
                      jsonb_agg(
                        use || jsonb_build_object('companyName', company.name, 'projectName', project.name)
                      ),
                      '[]'
                    )
            from    jsonb_array_elements(value -> 'projects') as use
            join    projects project on project.id = (use ->> 'projectId')::uuid
            join    companies company on company.id = project.company_id
          ) as projects
  from    instance_settings
  where   name = 'disk'
  and     value -> 'companies' <> '[]'
`;

/** Does not read issues either: no run on an issue counts as startable while a run of another agent on it is being stopped. */
const operations = (at: Instant) => (sql: Sql) =>
  sql<OperationsRow[]>`
  select  current_setting('transaction_read_only') = 'on'                  as is_read_only,
          (select count(*) from runs where status = 'queued')              as runs_queued,
          (select count(*) from runs where status = 'running')             as runs_running,
          (select count(*) from wakes where status = 'pending')            as wakes_pending,
          (select min(created_at) from wakes where status = 'pending')     as oldest_pending_wake_at,
          (
            select    min(wake.created_at)
            from      wakes wake
            join      runs run on run.id = wake.run_id and run.status = 'queued'
            join      agents agent on agent.id = wake.agent_id
            left join volumes volume on volume.id = agent.volume
            where     wake.status = 'pending'
            and       not ${waitsForMoreThanSlot(sql, at, sql`true`)}
          )                                                                as oldest_startable_wake_at,
          (
            select    min(coalesce(service.lease_until, run.updated_at))
            from      runs run
            left join services service on service.id = run.service_id
            where     run.status = 'running'
            and       (service.id is null or service.lease_until + make_interval(secs => service.handover_sec) < now())
          )                                                                as oldest_lost_run_at,
          (
            select    tick.next_fire_at
            from      routine_triggers tick
            join      routines routine on routine.id = tick.routine_id and routine.status = 'active'
            where     tick.next_fire_at <= ${at}
            order by  tick.next_fire_at
            limit     1
          )                                                                as oldest_due_tick_at,
          (select count(*) from runs where status = 'queued' and quarantined_since is not null) as runs_held,
          (
            select  coalesce(
                      jsonb_agg(
                        jsonb_build_object('adapterType', adapter_type, 'notBefore', not_before) order by not_before
                      ),
                      '[]'
                    )
            from    account_holds
            where   not_before > ${at}
          )                                                                as accounts_held,
          (
            select  coalesce(
                      jsonb_agg(jsonb_build_object('adapterType', adapter_type, 'runs', runs) order by adapter_type collate "C"),
                      '[]'
                    )
            from    (
                      select    adapter_type,
                                count(*) as runs
                      from      runs
                      where     status = 'queued'
                      group by  adapter_type
                    ) queued
          )                                                                as queued_by_adapter,
          (select count(*) from services where lease_until >= now())       as services,
          (
            select  value ->> 'heldSince'
            from    instance_settings
            where   name = 'restored'
            and     value ->> 'releasedAt' is null
          )                                                                as held_as_restored_since
`;
