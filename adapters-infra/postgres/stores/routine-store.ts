import * as Effect from "effect/Effect";
import type { Sql } from "postgres";
import type { CompanyStatus } from "../../../core/model/companies/company.ts";
import { type Routine, RoutineNotFound } from "../../../core/model/routines/routine.ts";
import type { RoutineRevision } from "../../../core/model/routines/routine-revision.ts";
import type { FiredStatus, OpenIssue, RoutineRun } from "../../../core/model/routines/routine-run.ts";
import { attemptedStatuses } from "../../../core/model/routines/routine-run.ts";
import { type Trigger, TriggerNotFound } from "../../../core/model/routines/trigger.ts";
import type { CompanyId, RevisionId, RoutineId, TriggerId } from "../../../core/model/shared/ids.ts";
import type { Instant } from "../../../core/model/shared/instant.ts";
import type {
  DueTrigger,
  NextSchedule,
  RoutineStore,
  RunKey,
  SealedSecret,
} from "../../../ports/stores/routine-store.ts";
import { setOf } from "../facts.ts";
import { fromJsonRow, type JsonRow } from "../json-rows.ts";
import {
  openIssues,
  routineColumns,
  routineRevisionColumns,
  routineRunColumns,
  triggerColumns,
} from "../routine-columns.ts";
import { json, orFail } from "../rows.ts";
import type { Statements } from "../transaction.ts";

export const routineStore = (tx: Statements): RoutineStore => ({
  lock: (id) => tx.first(lockRoutine(id)).pipe(orFail(() => new RoutineNotFound())),
  insert: (routine) => tx.write(insertRoutine(routine)),
  save: (routine) => tx.write(saveRoutine(routine)),
  insertRevision: (revision) => tx.write(insertRevision(revision)),
  findRevision: (id, routineId) => tx.first(findRevision(id, routineId)),
  triggers: (routineId) => tx.read(livingTriggers(routineId)),
  findTrigger: (id) => tx.first(findTrigger(id)).pipe(orFail(() => new TriggerNotFound())),
  findTriggerByPublicId: (publicId) =>
    tx.first(findByPublicId(publicId)).pipe(orFail(() => new TriggerNotFound())),
  insertTrigger: (trigger) => tx.write(insertTrigger(trigger)),
  saveTrigger: (trigger) => tx.write(saveTrigger(trigger)),
  deleteTrigger: (id, at) => tx.write(deleteTrigger(id, at)),
  setNextFire: (id, nextFireAt, at) => tx.write(setNextFire(id, nextFireAt, at)),
  recordFired: (id, at) => tx.write(recordFired(id, at)),
  findSecret: (id) => tx.first(findSecret(id)),
  keepSecret: (id, secret, at) => tx.write(keepSecret(id, secret, at)),
  lockDue: (id, at) =>
    tx.first(lockDue(id, at)).pipe(Effect.map((row) => (row === null ? null : dueOf(row)))),
  nextSchedules: (companyId, limit) => tx.read(nextSchedules(companyId, limit)),
  firedAmong: (id, ticks) =>
    tx.read(firedAmong(id, ticks)).pipe(Effect.map((rows) => rows.map(({ scheduledFor }) => scheduledFor))),
  openIssues: (id) => tx.read<OpenIssue>((sql) => openIssues(sql, sql`i.routine_id = ${id}`)),
  latestFirings: (id, limit) =>
    tx.read(latestFirings(id, limit)).pipe(Effect.map((rows) => rows.map(({ status }) => status))),
  firedBefore: (id, triggerId, nth) =>
    tx.first(firedBefore(id, triggerId, nth)).pipe(Effect.map((row) => row?.triggeredAt ?? null)),
  insertRun: (run, replayKey) => tx.write(insertRun(run, replayKey)),
  findRunByKey: (key) => tx.first(findRunByKey(key)),
  isReplay: (id, replayKey) =>
    tx.first(findReplay(id, replayKey)).pipe(Effect.map((earlier) => earlier !== null)),
});

const lockRoutine = (id: RoutineId) => (sql: Sql) =>
  sql<Routine[]>`
  select  ${routineColumns(sql)}
  from    routines
  where   id = ${id}
  for     no key update
`;

const insertRoutine = (routine: Routine) => (sql: Sql) =>
  sql`
  insert into routines ${routineColumns.values(sql, routine)}
`;

const savedColumns = routineColumns.without(`
  id, company_id, created_by_agent_id, created_by_user_id, created_at
`);

const saveRoutine = (routine: Routine) => (sql: Sql) =>
  sql`
  update  routines
  set     ${savedColumns.assign(sql, routine)}
  where   id = ${routine.id}
`;

const insertRevision = (revision: RoutineRevision) => (sql: Sql) =>
  sql`
  insert into routine_revisions ${routineRevisionColumns.values(sql, revision)}
`;

const findRevision = (id: RevisionId, routineId: RoutineId) => (sql: Sql) =>
  sql<RoutineRevision[]>`
  select  ${routineRevisionColumns(sql)}
  from    routine_revisions
  where   id = ${id}
  and     routine_id = ${routineId}
`;

const livingTriggers = (routineId: RoutineId) => (sql: Sql) =>
  sql<Trigger[]>`
  select    ${triggerColumns(sql)}
  from      routine_triggers
  where     routine_id = ${routineId}
  and       deleted_at is null
  order by  id
`;

const findTrigger = (id: TriggerId) => (sql: Sql) =>
  sql<Trigger[]>`
  select  ${triggerColumns(sql)}
  from    routine_triggers
  where   id = ${id}
  and     deleted_at is null
`;

const findByPublicId = (publicId: string) => (sql: Sql) =>
  sql<Trigger[]>`
  select  ${triggerColumns(sql)}
  from    routine_triggers
  where   public_id = ${publicId}
  and     deleted_at is null
`;

const insertTrigger = (trigger: Trigger) => (sql: Sql) =>
  sql`
  insert into routine_triggers (${triggerColumns(sql)}, scheduled_at)
  values (
    ${trigger.id}, ${trigger.companyId}, ${trigger.routineId}, ${trigger.kind}, ${trigger.label}, ${trigger.enabled},
    ${trigger.cronExpression}, ${trigger.timezone}, ${trigger.nextFireAt}, ${trigger.lastFiredAt},
    ${trigger.publicId}, ${trigger.signingMode}, ${trigger.replayWindowSec}, ${trigger.secretVersion},
    ${trigger.lastRotatedAt}, ${trigger.createdAt}, ${trigger.updatedAt}, ${trigger.updatedAt}
  )
`;

const saveTrigger = (trigger: Trigger) => (sql: Sql) =>
  sql`
  update  routine_triggers
  set     label             = ${trigger.label},
          enabled           = ${trigger.enabled},
          cron_expression   = ${trigger.cronExpression},
          timezone          = ${trigger.timezone},
          next_fire_at      = ${trigger.nextFireAt},
          scheduled_at      = ${trigger.updatedAt},
          signing_mode      = ${trigger.signingMode},
          replay_window_sec = ${trigger.replayWindowSec},
          deleted_at        = null,
          updated_at        = ${trigger.updatedAt}
  where   id = ${trigger.id}
`;

const deleteTrigger = (id: TriggerId, at: Instant) => (sql: Sql) =>
  sql`
  update  routine_triggers
  set     deleted_at    = ${at},
          next_fire_at  = null,
          sealed_secret = null,
          updated_at    = ${at}
  where   id = ${id}
`;

const setNextFire = (id: TriggerId, nextFireAt: Instant | null, at: Instant) => (sql: Sql) =>
  sql`
  update  routine_triggers
  set     next_fire_at = ${nextFireAt},
          scheduled_at = ${at}
  where   id = ${id}
`;

const recordFired = (id: TriggerId, at: Instant) => (sql: Sql) =>
  sql`
  update  routine_triggers
  set     last_fired_at = ${at}
  where   id = ${id}
`;

const findSecret = (id: TriggerId) => (sql: Sql) =>
  sql<SealedSecret[]>`
  select  sealed_secret as sealed, secret_version as version
  from    routine_triggers
  where   id = ${id}
  and     sealed_secret is not null
`;

const keepSecret =
  (id: TriggerId, { sealed, version }: SealedSecret, at: Instant) =>
  (sql: Sql) =>
    sql`
  update  routine_triggers
  set     sealed_secret   = ${sealed},
          secret_version  = ${version},
          last_rotated_at = ${at}
  where   id = ${id}
`;

interface DueRow {
  readonly triggerRow: JsonRow;
  readonly routineRow: JsonRow;
  readonly companyStatus: CompanyStatus;
  readonly companyHeldByBudgetAt: Instant | null;
}

const triggerOf = fromJsonRow<DueTrigger["trigger"]>({
  nextFireAt: true,
  lastFiredAt: true,
  lastRotatedAt: true,
  createdAt: true,
  updatedAt: true,
});
const routineOf = fromJsonRow<Routine>({ createdAt: true, updatedAt: true });

const dueOf = ({ triggerRow, routineRow, companyStatus, companyHeldByBudgetAt }: DueRow): DueTrigger => ({
  trigger: triggerOf(triggerRow),
  routine: routineOf(routineRow),
  company: { status: companyStatus, heldByBudgetAt: companyHeldByBudgetAt },
});

/** Locks both or neither, without waiting: the holder of one fires the tick, or the next search finds it. */
const lockDue = (id: TriggerId, at: Instant) => (sql: Sql) =>
  sql<DueRow[]>`
  select  to_jsonb(t) - '{sealed_secret,scheduled_at}'::text[] as trigger_row, to_jsonb(r) as routine_row, c.status as company_status,
          c.held_by_budget_at as company_held_by_budget_at
  from    routine_triggers t
  join    routines r on r.id = t.routine_id
  join    companies c on c.id = t.company_id
  where   t.id = ${id}
  and     (t.next_fire_at <= ${at} or (t.next_fire_at is not null and t.scheduled_at > ${at}))
  for     no key update of t, r skip locked
`;

const firedAmong = (id: TriggerId, ticks: readonly Instant[]) => (sql: Sql) =>
  sql<{ scheduledFor: Instant }[]>`
  select  scheduled_for
  from    routine_runs
  where   trigger_id = ${id}
  and     scheduled_for = any(${ticks as Instant[]}::timestamptz[])
`;

const latestFirings = (id: RoutineId, limit: number) => (sql: Sql) =>
  sql<{ status: FiredStatus }[]>`
  select    status
  from      routine_runs
  where     routine_id = ${id}
  and       status in ${setOf(sql, attemptedStatuses)}
  order by  id desc
  limit     ${limit}
`;

const nextSchedules = (companyId: CompanyId, limit: number) => (sql: Sql) =>
  sql<NextSchedule[]>`
  select    r.id as routine_id, r.title as routine_title, t.id as trigger_id, t.label as trigger_label,
            t.cron_expression, t.timezone, t.next_fire_at
  from      routine_triggers t
  join      routines r on r.id = t.routine_id
  where     t.company_id = ${companyId}
  and       t.next_fire_at is not null
  order by  t.next_fire_at, t.id
  limit     ${limit}
`;

const firedBefore = (id: RoutineId, triggerId: TriggerId, nth: number) => (sql: Sql) =>
  sql<{ triggeredAt: Instant }[]>`
  select    triggered_at
  from      routine_runs
  where     routine_id = ${id}
  and       trigger_id = ${triggerId}
  and       source = 'webhook'
  order by  id desc
  offset    ${nth - 1}
  limit     1
`;

const insertRun = (run: RoutineRun, replayKey: Uint8Array | null) => (sql: Sql) =>
  sql`
  insert into routine_runs (${routineRunColumns(sql)}, replay_key)
  values (
    ${run.id}, ${run.companyId}, ${run.routineId}, ${run.triggerId}, ${run.source}, ${run.status},
    ${run.scheduledFor}, ${run.triggeredAt}, ${run.idempotencyKey}, ${json(sql, run.triggerPayload)},
    ${run.routineRevisionId}, ${run.linkedIssueId}, ${run.coalescedIntoRunId}, ${run.failureReason},
    ${run.createdAt}, ${replayKey}
  )
`;

const findRunByKey =
  ({ routineId, source, triggerId, idempotencyKey }: RunKey) =>
  (sql: Sql) =>
    sql<RoutineRun[]>`
  select  ${routineRunColumns(sql)}
  from    routine_runs
  where   routine_id = ${routineId}
  and     source = ${source}
  and     trigger_id is not distinct from ${triggerId}::uuid
  and     idempotency_key = ${idempotencyKey}
`;

const findReplay = (id: TriggerId, replayKey: Uint8Array) => (sql: Sql) =>
  sql<{ id: string }[]>`
  select  id
  from    routine_runs
  where   trigger_id = ${id}
  and     replay_key = ${replayKey}
`;
