import * as Effect from "effect/Effect";
import type { Fragment, Sql } from "postgres";
import { RoutineNotFound } from "../../../core/model/routines/routine.ts";
import type { RoutineRevision } from "../../../core/model/routines/routine-revision.ts";
import {
  attemptedStatuses,
  failuresBeforePause,
  type RoutineRun,
  RoutineRunNotFound,
} from "../../../core/model/routines/routine-run.ts";
import { TriggerNotFound } from "../../../core/model/routines/trigger.ts";
import type {
  CompanyId,
  IssueId,
  RoutineId,
  RoutineRunId,
  TriggerId,
} from "../../../core/model/shared/ids.ts";
import type { Instant } from "../../../core/model/shared/instant.ts";
import { shownAs } from "../../../ports/views/page.ts";
import type {
  ActedOnRoutine,
  RoutineIssue,
  RoutineRecord,
  RoutineRunRecord,
  RoutineViews,
  TriggerView,
} from "../../../ports/views/routine-views.ts";
import { columnsOf } from "../columns-of.ts";
import { byId, byNumber, readPage } from "../cursor.ts";
import type { Database } from "../database.ts";
import { setOf } from "../facts.ts";
import { fromJsonRow, type JsonRow, type Plain } from "../json-rows.ts";
import {
  openIssues,
  routineColumns,
  routineRevisionColumns,
  routineRunColumns,
  triggerColumns,
} from "../routine-columns.ts";
import { orFail } from "../rows.ts";

export const routineViews = (database: Database): RoutineViews => ({
  list: (companyId) => Effect.map(database.read(listRoutines(companyId)), (rows) => rows.map(recordOf)),
  listActedOn: (companyId) =>
    Effect.map(database.read(listRoutines<RoutineContext>(companyId, routineContext)), (rows) =>
      rows.map(actedOnOf),
    ),
  get: (id) =>
    database.first(routineById(id)).pipe(
      orFail(() => new RoutineNotFound()),
      Effect.map(actedOnOf),
    ),
  openIssues: (id) => database.read((sql: Sql) => openIssues(sql, sql`i.routine_id = ${id}`)),
  issue: (id) => database.first(issueOf(id)),
  trigger: (id) => database.first(getTrigger(id)).pipe(orFail(() => new TriggerNotFound())),
  revisions: (id, page) =>
    readPage(
      database,
      { kind: "routine revisions", of: { id } },
      byNumber<RoutineRevision>(({ revisionNumber }) => revisionNumber),
      page,
      listRevisions(id),
    ),
  runs: (id, page) =>
    readPage(database, { kind: "routine runs", of: { id } }, byId, page, listRuns(id)).pipe(
      Effect.map(shownAs(runOf)),
    ),
  run: (id) =>
    database.first(getRun(id)).pipe(
      orFail(() => new RoutineRunNotFound()),
      Effect.map(runOf),
    ),
  due: (at, limit) =>
    database.read(dueTriggers(at, limit)).pipe(Effect.map((rows) => rows.map(({ id }) => id))),
  nextFireAt: () => database.first(earliestTick).pipe(Effect.map((row) => row?.nextFireAt ?? null)),
});

type RoutineRow = Omit<RoutineRecord, "triggers" | "lastRun"> & {
  readonly triggerRows: readonly JsonRow[];
  readonly lastRun: JsonRow | null;
};

const triggerOf = fromJsonRow<TriggerView>({
  nextFireAt: true,
  lastFiredAt: true,
  lastRotatedAt: true,
  createdAt: true,
  updatedAt: true,
});
const lastRunOf = fromJsonRow<NonNullable<RoutineRecord["lastRun"]>>({ triggeredAt: true });

const recordOf = ({ triggerRows, lastRun, ...routine }: RoutineRow): RoutineRecord => ({
  ...routine,
  triggers: triggerRows.map(triggerOf),
  lastRun: lastRun === null ? null : lastRunOf(lastRun),
});

/** The facts around a routine on which the actions on it depend. */
interface RoutineContext extends Omit<ActedOnRoutine, keyof RoutineRecord | "company"> {
  readonly companyFacts: JsonRow;
}

const companyOf = fromJsonRow<ActedOnRoutine["company"]>({ heldByBudgetAt: true });

const actedOnOf = ({
  companyFacts,
  isProjectArchived,
  assigneeState,
  ...row
}: RoutineRow & RoutineContext): ActedOnRoutine => ({
  ...recordOf(row),
  company: companyOf(companyFacts),
  isProjectArchived,
  assigneeState,
});

/** A `RoutineRow`, of `routines`. */
const routineRow = (sql: Sql) => sql`
  ${routineColumns(sql)},
  (
    select  coalesce(jsonb_agg(to_jsonb(t) - ${hidden}::text[] order by t.id), '[]')
    from    routine_triggers t
    where   t.routine_id = routines.id
    and     t.deleted_at is null
  ) as trigger_rows,
  (
    select    jsonb_build_object(
                'run_id', f.id, 'status', f.status, 'triggered_at', f.triggered_at,
                'failure_reason', f.failure_reason, 'linked_issue_id', f.linked_issue_id,
                'issue_status', (select i.status from issues i where i.id = f.linked_issue_id)
              )
    from      routine_runs f
    where     f.routine_id = routines.id
    order by  f.id desc
    limit     1
  ) as last_run,
  (
    select  count(*) filter (where f.status = 'failed' and f.worked = 0)
    from    (
              select    status, count(*) filter (where status = 'issue_created') over (order by id desc) as worked
              from      routine_runs
              where     routine_id = routines.id
              and       status in ${setOf(sql, attemptedStatuses)}
              order by  id desc
              limit     ${failuresBeforePause}
            ) f
  )::integer as failures_in_a_row
`;

/** Columns of a trigger that no caller sees. */
const hidden = ["sealed_secret", "secret_version", "deleted_at", "scheduled_at"];

/** The `RoutineContext`, of `routines`. */
const routineContext = (sql: Sql) => sql`
  , (
      select  jsonb_build_object('status', status, 'held_by_budget_at', held_by_budget_at)
      from    companies
      where   companies.id = routines.company_id
    ) as company_facts,
    (
      select  archived_at is not null
      from    projects
      where   projects.id = routines.project_id
    ) as is_project_archived,
    (
      select  lifecycle_state
      from    agents
      where   agents.id = routines.assignee_agent_id
    ) as assignee_state
`;

const listRoutines =
  <More = unknown>(companyId: CompanyId, more: (sql: Sql) => Fragment = (sql) => sql``) =>
  (sql: Sql) =>
    sql<(RoutineRow & More)[]>`
  select    ${routineRow(sql)} ${more(sql)}
  from      routines
  where     company_id = ${companyId}
  order by  updated_at desc, id desc
`;

const routineById = (id: RoutineId) => (sql: Sql) =>
  sql<(RoutineRow & RoutineContext)[]>`
  select  ${routineRow(sql)} ${routineContext(sql)}
  from    routines
  where   id = ${id}
`;

/** A `RoutineIssue`, of `issues`. */
const routineIssueColumns = columnsOf("id, identifier, title, status, priority, updated_at");

const issueOf = (id: IssueId) => (sql: Sql) =>
  sql<RoutineIssue[]>`
  select  ${routineIssueColumns(sql)}
  from    issues
  where   id = ${id}
`;

const shownTriggerColumns = triggerColumns.without("secret_version");

const getTrigger = (id: TriggerId) => (sql: Sql) =>
  sql<TriggerView[]>`
  select  ${shownTriggerColumns(sql)}
  from    routine_triggers
  where   id = ${id}
  and     deleted_at is null
`;

const listRevisions =
  (id: RoutineId) => (before: readonly [number: number] | null, limit: number) => (sql: Sql) =>
    sql<RoutineRevision[]>`
  select    ${routineRevisionColumns(sql)}
  from      routine_revisions
  where     routine_id = ${id}
  ${before === null ? sql`` : sql`and revision_number < ${before[0]}`}
  order by  revision_number desc
  limit     ${limit}
`;

interface RunRow extends RoutineRun {
  readonly linkedIssue: JsonRow | null;
  readonly trigger: Plain<RoutineRunRecord["trigger"]>;
  readonly issueClosedAt: Instant | null;
}

const linkedIssueOf = fromJsonRow<RoutineIssue>({ updatedAt: true });

const runOf = ({ linkedIssue, ...run }: RunRow): RoutineRunRecord => ({
  ...run,
  linkedIssue: linkedIssue === null ? null : linkedIssueOf(linkedIssue),
});

/** A `RunRow`, of `routine_runs`. */
const runRow = (sql: Sql) => sql`
  ${routineRunColumns(sql)},
  (
    select  to_jsonb(linked)
    from    (select ${routineIssueColumns(sql)} from issues where id = routine_runs.linked_issue_id) as linked
  ) as linked_issue,
  (
    select  coalesce(i.completed_at, i.cancelled_at)
    from    issues i
    where   i.id = routine_runs.linked_issue_id
  ) as issue_closed_at,
  (
    select  jsonb_build_object('id', t.id, 'kind', t.kind, 'label', t.label)
    from    routine_triggers t
    where   t.id = routine_runs.trigger_id
  ) as trigger
`;

const listRuns = (id: RoutineId) => (after: readonly [id: string] | null, limit: number) => (sql: Sql) =>
  sql<RunRow[]>`
  select    ${runRow(sql)}
  from      routine_runs
  where     routine_id = ${id}
  ${after === null ? sql`` : sql`and id < ${after[0]}`}
  order by  id desc
  limit     ${limit}
`;

const getRun = (id: RoutineRunId) => (sql: Sql) =>
  sql<RunRow[]>`
  select  ${runRow(sql)}
  from    routine_runs
  where   id = ${id}
`;

const dueTriggers = (at: Instant, limit: number) => (sql: Sql) =>
  sql<{ id: TriggerId }[]>`
  (
    select    id
    from      routine_triggers
    where     next_fire_at <= ${at}
    order by  next_fire_at
    limit     ${limit}
  )
  union all
  (
    select    id
    from      routine_triggers
    where     next_fire_at > ${at}
    and       scheduled_at > ${at}
    limit     ${limit}
  )
`;

const earliestTick = (sql: Sql) => sql<{ nextFireAt: Instant | null }[]>`
  select    next_fire_at
  from      routine_triggers
  where     next_fire_at is not null
  order by  next_fire_at
  limit     1
`;
