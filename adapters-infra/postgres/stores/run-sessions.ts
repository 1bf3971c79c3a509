import type { Sql } from "postgres";
import type { SessionEnd } from "../../../core/model/runs/session-end.ts";
import type { AgentId, RunId, VolumeId } from "../../../core/model/shared/ids.ts";
import type { StoredSession, TaskOfAgent, TaskSession } from "../../../ports/stores/run-store.ts";
import { json } from "../rows.ts";

export const findSessions = (tasks: readonly TaskOfAgent[]) => (sql: Sql) =>
  sql<StoredSession[]>`
  select  company_id, agent_id, adapter_type, task_key, params, display_id, last_run_id, updated_at, volume
  from    task_sessions
  join    unnest(
            ${tasks.map(({ agentId }) => agentId)}::uuid[], ${tasks.map(({ adapterType }) => adapterType)}::text[],
            ${tasks.map(({ taskKey }) => taskKey)}::text[]
          ) as task (agent_id, adapter_type, task_key) using (agent_id, adapter_type, task_key)
`;

export const saveSession = (session: TaskSession) => (sql: Sql) =>
  sql`
  insert into task_sessions (
    company_id, agent_id, adapter_type, task_key, params, display_id, last_run_id, updated_at, volume
  )
  values (
    ${session.companyId}, ${session.agentId}, ${session.adapterType}, ${session.taskKey},
    ${json(sql, session.params)}, ${session.displayId}, ${session.lastRunId}, ${session.updatedAt},
    (select coalesce(volume, '') from runs where id = ${session.lastRunId})
  )
  on conflict (agent_id, adapter_type, task_key) do update
  set params      = excluded.params,
      display_id  = excluded.display_id,
      last_run_id = excluded.last_run_id,
      updated_at  = excluded.updated_at,
      volume      = excluded.volume
`;

export const previousInSession = (id: RunId) => (sql: Sql) =>
  sql<SessionEnd[]>`
  select    previous.error_code, previous.summary
  from      runs run
  join      runs previous on previous.agent_id = run.agent_id
                         and previous.issue_id is not distinct from run.issue_id
                         and previous.session_id_before = run.session_id_before
  where     run.id = ${id}
  and       previous.id <> run.id
  and       previous.finished_at is not null
  order by  previous.finished_at desc
  limit     1
`;

/** Those from before volumes are the agent's, too. */
export const forgetSessions = (agentId: AgentId, volume: VolumeId) => (sql: Sql) =>
  sql<{ taskKey: string }[]>`
  delete from task_sessions
  where     agent_id = ${agentId}
  and       coalesce(volume, ${volume}) = ${volume}
  returning task_key
`;

export const clearSession = (agentId: AgentId, adapterType: string, taskKey: string) => (sql: Sql) =>
  sql`
  delete from task_sessions
  where  agent_id = ${agentId}
  and    adapter_type = ${adapterType}
  and    task_key = ${taskKey}
`;
