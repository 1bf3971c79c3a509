import type { Fragment, Sql } from "postgres";
import { closedStatuses } from "../../core/model/issues/issue-status.ts";
import type { OpenIssue } from "../../core/model/routines/routine-run.ts";
import { liveRunStatuses } from "../../core/model/runs/run-status.ts";
import { columnsOf } from "./columns-of.ts";
import { holdsOf, setOf } from "./facts.ts";

/** A `Routine`. */
export const routineColumns = columnsOf(`
  id, company_id, title, description, assignee_agent_id, project_id, goal_id, parent_issue_id, priority, status,
  concurrency_policy, catch_up_policy, latest_revision_id, latest_revision_number, created_by_agent_id,
  created_by_user_id, created_at, updated_at
`);

/** A `Trigger`. */
export const triggerColumns = columnsOf(`
  id, company_id, routine_id, kind, label, enabled, cron_expression, timezone, next_fire_at, last_fired_at, public_id,
  signing_mode, replay_window_sec, secret_version, last_rotated_at, created_at, updated_at
`);

/** A `RoutineRevision`. */
export const routineRevisionColumns = columnsOf(`
  id, company_id, routine_id, revision_number, change_summary, snapshot jsonb, restored_from_revision_id,
  created_by_agent_id, created_by_user_id, created_by_run_id, created_at
`);

/** A `RoutineRun`. */
export const routineRunColumns = columnsOf(`
  id, company_id, routine_id, trigger_id, source, status, scheduled_for, triggered_at, idempotency_key, trigger_payload,
  routine_revision_id, linked_issue_id, coalesced_into_run_id, failure_reason, created_at
`);

/** An `OpenIssue` for each of `issues i` that is open, newest first. */
export const openIssues = (sql: Sql, of: Fragment) => sql<OpenIssue[]>`
  select    made.id as run_id, i.id as issue_id, i.status, made.triggered_at as since,
            exists (
              select from runs where issue_id = i.id and status in ${setOf(sql, liveRunStatuses)}
            ) as has_live_run,
            exists (
              select from interactions where issue_id = i.id and status = 'pending'
            ) as has_pending_interaction,
            (
              select    finished_at
              from      runs
              where     issue_id = i.id
              and       finished_at is not null
              order by  finished_at desc
              limit     1
            ) as last_run_ended_at,
            ${holdsOf(sql, { agent: sql`agent`, company: sql`company` })},
            project.held_by_budget_at as project_held_by_budget_at
  from      issues i
  join      companies company on company.id = i.company_id
  left join projects project on project.id = i.project_id
  left join agents agent on agent.id = i.assignee_agent_id and agent.lifecycle_state <> 'terminated'
  join      lateral (
              select    id, triggered_at
              from      routine_runs
              where     linked_issue_id = i.id
              order by  id
              limit     1
            ) made on true
  where     ${of}
  and       i.routine_id is not null
  and       i.status not in ${setOf(sql, closedStatuses)}
  order by  i.id desc
  limit     100
`;
