import * as Effect from "effect/Effect";
import type { Fragment, Sql } from "postgres";
import type { ActivityAction } from "../../../core/model/activity/activity-entry.ts";
import { AgentNotFound } from "../../../core/model/agents/agent.ts";
import { AgentKeyNotFound } from "../../../core/model/agents/agent-key.ts";
import { endedRunStatuses, type RunEnd } from "../../../core/model/runs/run-status.ts";
import type { AgentId, AgentKeyId, CompanyId } from "../../../core/model/shared/ids.ts";
import type { Instant } from "../../../core/model/shared/instant.ts";
import type {
  AgentConfigRevisionView,
  AgentDay,
  AgentDetail,
  AgentKeyView,
  AgentRecord,
  AgentViews,
  CurrentRun,
  OrgMember,
} from "../../../ports/views/agent-views.ts";
import { JsonText } from "../../../ports/views/page.ts";
import { agentInCompany, agentKeyColumns, configRevisionColumns, listedAgent } from "../columns.ts";
import { byId, readPage } from "../cursor.ts";
import type { Database } from "../database.ts";
import { holdsOf, spentInMonthOf } from "../facts.ts";
import { folded } from "../folded.ts";
import type { JsonRow, Plain } from "../json-rows.ts";
import { fromJsonRow } from "../json-rows.ts";
import { orFail } from "../rows.ts";
import { workspaceFrom, workspaceOf } from "../volumes.ts";
import { agentSituations } from "./agent-situations.ts";

export const agentViews = (database: Database): AgentViews => ({
  list: (companyId, at) => Effect.map(database.read(listAgents(companyId, at)), listedOf),
  listActedOn: (companyId, at) =>
    Effect.map(database.read(listAgents<UseOfWorkspace>(companyId, at, usesWorkspace)), listedOf),
  get: (id, at) =>
    database.first(getAgent(id, at)).pipe(
      orFail(() => new AgentNotFound()),
      Effect.map(recordOf),
    ),
  situations: (of, at) => agentSituations(database, of, at),
  day: (id, since) =>
    Effect.map(database.lookUp(agentDay(id, since)), (row) => {
      const { comments, done, timedOut, ...runs } = row!;
      return { runs: { ...runs, timed_out: timedOut }, comments, done };
    }),
  org: (companyId) => database.read(orgMembers(companyId)),
  keys: (agentId) => database.read(agentKeys(agentId)),
  key: (id) => database.first(agentKey(id)).pipe(orFail(() => new AgentKeyNotFound())),
  revisions: (agentId, page) =>
    readPage(database, { kind: "config revisions", of: { agentId } }, byId, page, agentRevisions(agentId)),
});

/** An `AgentRecord` with parts that are JSON. */
type AgentRow = Omit<AgentRecord, "currentRun" | "workspace"> & {
  readonly currentRunRow: JsonRow | null;
  readonly workspaceRow: JsonRow | null;
};

type ListedRow = Omit<AgentRow, "adapterConfig" | "metadata"> & {
  readonly adapterConfigText: string;
  readonly metadataText: string | null;
};

/** Adds to the row, which is long and has no other reader. */
const recordOf = <Row extends Pick<AgentRow, "currentRunRow" | "workspaceRow">>(row: Row) =>
  Object.assign(row, {
    currentRun: row.currentRunRow === null ? null : currentRunOf(row.currentRunRow),
    workspace: workspaceFrom(row.workspaceRow),
  });

const listedOf = <Row extends ListedRow>(rows: readonly Row[]) =>
  rows.map((row) =>
    Object.assign(recordOf(row), {
      adapterConfig: new JsonText<AgentRecord["adapterConfig"]>(row.adapterConfigText),
      metadata:
        row.metadataText === null
          ? null
          : new JsonText<NonNullable<AgentRecord["metadata"]>>(row.metadataText),
    }),
  );

/** Reads `agents a`. */
const usesWorkspace = (sql: Sql) => sql`
  , exists (select from runs where agent_id = a.id and status = 'running' and runs.volume = a.volume)
    as uses_workspace
`;

interface UseOfWorkspace {
  readonly usesWorkspace: boolean;
}

const listAgents =
  <More = unknown>(companyId: CompanyId, at: Instant, more: (sql: Sql) => Fragment = (sql) => sql``) =>
  (sql: Sql) =>
    sql<(ListedRow & More)[]>`
  select    ${listedAgent(sql)}, ${currentRun(sql)}, ${spentInMonthOf(sql, sql`a`, at)},
            ${workspaceOf(sql)} as workspace_row
            ${more(sql)}
  from      agents a
  join      companies c on c.id = a.company_id
  left join volumes volume on volume.id = a.volume
  where     a.company_id = ${companyId}
  order by  a.lifecycle_state = 'terminated', ${folded(sql, "a.name")}, a.id
`;

type AgentDetailRow = AgentRow &
  UseOfWorkspace &
  Plain<Pick<AgentDetail, "chainOfCommand" | "shortBindings">>;

const getAgent = (id: AgentId, at: Instant) => (sql: Sql) =>
  sql<AgentDetailRow[]>`
  select  ${agentInCompany(sql)}, ${currentRun(sql)}, ${spentInMonthOf(sql, sql`a`, at)},
          ${workspaceOf(sql)} as workspace_row,
          (
            with recursive chain as (
              select  m.id, m.name, m.role, m.title, m.reports_to, 1 as distance
              from    agents m
              where   m.id = a.reports_to
              union all
              select  m.id, m.name, m.role, m.title, m.reports_to, chain.distance + 1
              from    chain
              join    agents m on m.id = chain.reports_to
              where   chain.distance < 50
            )
            select  coalesce(
                      jsonb_agg(
                        jsonb_build_object('id', id, 'name', name, 'role', role, 'title', title) order by distance
                      ),
                      '[]'
                    )
            from    chain
          ) as chain_of_command,
          (
            select  coalesce(jsonb_agg(b.config_path order by b.config_path collate "C"), '[]')
            from    secret_bindings b
            join    secrets s on s.id = b.secret_id
            join    secret_versions v on v.secret_id = s.id and v.version = coalesce(b.version, s.latest_version)
            where   b.agent_id = a.id
            and     v.is_short
          ) as short_bindings
          ${usesWorkspace(sql)}
  from    agents a
  join    companies c on c.id = a.company_id
  left join volumes volume on volume.id = a.volume
  where   a.id = ${id}
`;

type AgentDayRow = Omit<AgentDay["runs"], "timed_out"> & { readonly timedOut: number } & Plain<
    Pick<AgentDay, "comments" | "done">
  >;

const agentDay = (id: AgentId, since: Instant) => (sql: Sql) => {
  const ended = (status: RunEnd) =>
    sql`count(*) filter (where status = ${status} and finished_at >= ${since}) as ${sql(status)}`;
  return sql<AgentDayRow[]>`
  select  did.*,
          (
            select  count(*)
            from    activity
            where   activity.actor_id = ${id}
            and     activity.action = ${"issue.comment_added" satisfies ActivityAction}
            and     activity.created_at >= ${since}
          ) as comments,
          (
            select  coalesce(
                      jsonb_agg(
                        distinct jsonb_build_object('id', issue.id, 'identifier', issue.identifier, 'title', issue.title)
                      ),
                      '[]'
                    )
            from    activity act
            join    issues issue on issue.id = act.entity_id and issue.status = 'done'
            where   act.actor_id = ${id}
            and     act.action = ${"issue.status_changed" satisfies ActivityAction}
            and     act.details ->> 'to' = 'done'
            and     act.created_at >= ${since}
          ) as done
  from    (
            select  count(*) filter (where started_at >= ${since}) as started,
                    ${endedRunStatuses.map(ended).reduce((all, each) => sql`${all}, ${each}`)}
            from    runs
            where   agent_id = ${id}
            and     (started_at >= ${since} or finished_at >= ${since})
          ) as did
`;
};

const orgMembers = (companyId: CompanyId) => (sql: Sql) =>
  sql<OrgMember[]>`
  select    a.id, a.name, a.role, a.title, a.reports_to, a.lifecycle_state, a.error_reason,
            ${holdsOf(sql, { agent: sql`a`, company: sql`c` })},
            exists (select from runs where agent_id = a.id and status = 'running') as has_running_run
  from      agents a
  join      companies c on c.id = a.company_id
  where     a.company_id = ${companyId}
  and       a.lifecycle_state <> 'terminated'
  order by  ${folded(sql, "a.name")}, a.id
`;

const agentKeys = (agentId: AgentId) => (sql: Sql) =>
  sql<AgentKeyView[]>`
  select    ${agentKeyColumns(sql)}
  from      agent_keys
  where     agent_id = ${agentId}
  order by  id
`;

const agentKey = (id: AgentKeyId) => (sql: Sql) =>
  sql<AgentKeyView[]>`
  select  ${agentKeyColumns(sql)}
  from    agent_keys
  where   id = ${id}
`;

const agentRevisions =
  (agentId: AgentId) => (after: readonly [id: string] | null, limit: number) => (sql: Sql) =>
    sql<AgentConfigRevisionView[]>`
  select    ${configRevisionColumns(sql)}
  from      agent_config_revisions
  where     agent_id = ${agentId}
  ${after === null ? sql`` : sql`and id < ${after[0]}`}
  order by  id desc
  limit     ${limit}
`;

/** The row of `currentRunOf`, of `agents a`; null where none of its runs is running. */
const currentRun = (sql: Sql) => sql`
  (
    select    jsonb_build_object(
                'id', r.id, 'issue_id', r.issue_id, 'issue_identifier', i.identifier, 'issue_title', i.title,
                'wake_reason', r.wake_reason, 'started_at', r.started_at
              )
    from      runs r
    left join issues i on i.id = r.issue_id
    where     r.agent_id = a.id
    and       r.status = 'running'
    order by  r.started_at, r.id
    limit     1
  ) as current_run_row
`;

const currentRunOf = fromJsonRow<CurrentRun>({ startedAt: true });
