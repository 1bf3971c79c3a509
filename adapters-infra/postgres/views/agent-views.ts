import * as Effect from "effect/Effect";
import type { Fragment, Sql } from "postgres";
import type { ActivityAction } from "../../../core/model/activity/activity-entry.ts";
import { type Agent, AgentNotFound } from "../../../core/model/agents/agent.ts";
import { agentActions } from "../../../core/model/agents/agent-actions.ts";
import { AgentKeyNotFound } from "../../../core/model/agents/agent-key.ts";
import { agentStatus, pauseReason } from "../../../core/model/agents/agent-status.ts";
import type { CompanyStatus } from "../../../core/model/companies/company.ts";
import { endedRunStatuses, type RunEnd } from "../../../core/model/runs/run-status.ts";
import { maskedFromLength } from "../../../core/model/secrets/secret.ts";
import type { AgentId, AgentKeyId, CompanyId } from "../../../core/model/shared/ids.ts";
import { type Instant, monthOf } from "../../../core/model/shared/instant.ts";
import type { Clock } from "../../../ports/clock.ts";
import type {
  AgentConfigRevisionView,
  AgentDay,
  AgentDetailView,
  AgentKeyView,
  AgentView,
  AgentViews,
  OrgNode,
} from "../../../ports/views/agent-views.ts";
import { agentInCompany } from "../columns.ts";
import { byId, readPage } from "../cursor.ts";
import type { Database } from "../database.ts";
import type { JsonRow, Plain } from "../json-rows.ts";
import { orFail } from "../rows.ts";
import { workspaceFrom, workspaceOf } from "../volumes.ts";
import { agentSituations } from "./agent-situations.ts";
import { currentRun, currentRunOf } from "./current-run.ts";

export const agentViews = (database: Database, clock: Clock): AgentViews => ({
  list: (companyId) =>
    Effect.suspend(() => {
      const at = clock.now();
      return database
        .read(listAgents(companyId, at))
        .pipe(Effect.map((rows) => rows.map((row) => viewOf(row, at))));
    }),
  listFor: (companyId, caller) =>
    Effect.suspend(() => {
      const at = clock.now();
      return database.read(listAgents<UseOfWorkspace>(companyId, at, usesWorkspace)).pipe(
        Effect.map((rows) =>
          rows.map((row) => ({
            ...viewOf(row, at),
            callerMay: agentActions({ ...row, at }, { ...row, caller }),
          })),
        ),
      );
    }),
  get: (id, caller) =>
    Effect.suspend(() => {
      const at = clock.now();
      return database.first(getAgent(id, at)).pipe(
        orFail(() => new AgentNotFound()),
        Effect.map((row) => ({
          ...viewOf(row, at),
          callerMay: agentActions({ ...row, at }, { ...row, caller }),
          chainOfCommand: row.chainOfCommand,
          warnings: row.shortBindings.map(
            (path) =>
              `${path}: the secret's value has fewer than ${maskedFromLength} characters and is not masked in what runs say.`,
          ),
        })),
      );
    }),
  situations: (of, at) => agentSituations(database, of, at),
  day: (id, since) =>
    Effect.map(database.lookUp(agentDay(id, since)), (row) => {
      const { comments, done, timedOut, ...runs } = row!;
      return { runs: { ...runs, timed_out: timedOut }, comments, done };
    }),
  org: (companyId) =>
    database.read(orgMembers(companyId)).pipe(Effect.map((rows) => forestOf(rows, clock.now()))),
  keys: (agentId) => database.read(agentKeys(agentId)),
  key: (id) => database.first(agentKey(id)).pipe(orFail(() => new AgentKeyNotFound())),
  revisions: (agentId, page) =>
    readPage(database, { kind: "config revisions", of: { agentId } }, byId, page, agentRevisions(agentId)),
});

/** An agent with the facts that determine its status. */
interface AgentRow extends Agent {
  readonly companyStatus: CompanyStatus;
  readonly currentRunRow: JsonRow | null;
  readonly workspaceRow: JsonRow | null;
  readonly spentMonthlyCents: number;
}

const viewOf = (row: AgentRow, at: Instant): AgentView => ({
  id: row.id,
  companyId: row.companyId,
  name: row.name,
  urlKey: row.urlKey,
  role: row.role,
  title: row.title,
  reportsTo: row.reportsTo,
  capabilities: row.capabilities,
  status: agentStatus(row, row.companyStatus, row.currentRunRow !== null, at),
  pauseReason: row.lifecycleState === "active" ? pauseReason(row, row.companyStatus, at) : null,
  errorReason: row.errorReason,
  currentRun: row.currentRunRow === null ? null : currentRunOf(row.currentRunRow),
  workspace: workspaceFrom(row.workspaceRow),
  adapterType: row.adapterType,
  adapterConfig: row.adapterConfig,
  runtimeConfig: row.runtimeConfig,
  budgetMonthlyCents: row.budgetMonthlyCents,
  spentMonthlyCents: row.spentMonthlyCents,
  metadata: row.metadata,
  lastHeartbeatAt: row.lastHeartbeatAt,
  createdAt: row.createdAt,
  updatedAt: row.updatedAt,
});

type OrgRow = Pick<
  AgentRow,
  | "id"
  | "name"
  | "role"
  | "title"
  | "reportsTo"
  | "lifecycleState"
  | "heldManuallyAt"
  | "heldByBudgetAt"
  | "companyHeldByBudgetAt"
  | "errorReason"
  | "companyStatus"
> & { readonly hasRunningRun: boolean };

const forestOf = (rows: readonly OrgRow[], at: Instant): readonly OrgNode[] => {
  const living = new Set(rows.map(({ id }) => id));
  const reportsOf = new Map<AgentId | null, OrgRow[]>();
  for (const row of rows) {
    const manager = row.reportsTo !== null && living.has(row.reportsTo) ? row.reportsTo : null;
    reportsOf.set(manager, [...(reportsOf.get(manager) ?? []), row]);
  }
  const nodesBelow = (manager: AgentId | null): readonly OrgNode[] =>
    (reportsOf.get(manager) ?? []).map((row) => ({
      id: row.id,
      name: row.name,
      role: row.role,
      title: row.title,
      status: agentStatus(row, row.companyStatus, row.hasRunningRun, at),
      reports: nodesBelow(row.id),
    }));
  return nodesBelow(null);
};

/** Reads `agents a`. */
const statusFacts = (sql: Sql) => sql`
  exists (select from runs where agent_id = a.id and status = 'running') as has_running_run
`;

/** Reads `agents a`. */
const spentThisMonth = (sql: Sql, at: Instant) => sql`
  floor(coalesce((
    select  spent_cents
    from    budget_months
    where   scope_id = a.id
    and     month = ${monthOf(at)}
  ), 0)) as spent_monthly_cents
`;

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
    sql<(AgentRow & More)[]>`
  select    ${agentInCompany(sql)}, ${currentRun(sql)}, ${spentThisMonth(sql, at)},
            ${workspaceOf(sql)} as workspace_row
            ${more(sql)}
  from      agents a
  join      companies c on c.id = a.company_id
  left join volumes volume on volume.id = a.volume
  where     a.company_id = ${companyId}
  order by  a.standing = 'terminated', lower(a.name), a.id
`;

interface AgentDetailRow extends AgentRow, UseOfWorkspace {
  readonly chainOfCommand: Plain<AgentDetailView["chainOfCommand"]>;
  readonly shortBindings: readonly string[];
}

const getAgent = (id: AgentId, at: Instant) => (sql: Sql) =>
  sql<AgentDetailRow[]>`
  select  ${agentInCompany(sql)}, ${currentRun(sql)}, ${spentThisMonth(sql, at)},
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
            select  coalesce(jsonb_agg(b.config_path order by b.config_path), '[]')
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
  sql<OrgRow[]>`
  select    a.id, a.name, a.role, a.title, a.reports_to, a.standing as lifecycle_state, a.held_manually_at, a.held_by_budget_at,
            a.error_reason, c.status as company_status, c.held_by_budget_at as company_held_by_budget_at,
            ${statusFacts(sql)}
  from      agents a
  join      companies c on c.id = a.company_id
  where     a.company_id = ${companyId}
  and       a.standing <> 'terminated'
  order by  lower(a.name), a.id
`;

const agentKeys = (agentId: AgentId) => (sql: Sql) =>
  sql<AgentKeyView[]>`
  select    id, agent_id, name, created_at, last_used_at, revoked_at
  from      agent_keys
  where     agent_id = ${agentId}
  order by  id
`;

const agentKey = (id: AgentKeyId) => (sql: Sql) =>
  sql<AgentKeyView[]>`
  select  id, agent_id, name, created_at, last_used_at, revoked_at
  from    agent_keys
  where   id = ${id}
`;

const agentRevisions =
  (agentId: AgentId) => (after: readonly [id: string] | null, limit: number) => (sql: Sql) =>
    sql<AgentConfigRevisionView[]>`
  select    id, company_id, agent_id, source, rolled_back_from_revision_id, changed_keys, before_config, after_config,
            created_by_agent_id, created_by_user_id, created_at
  from      agent_config_revisions
  where     agent_id = ${agentId}
  ${after === null ? sql`` : sql`and id < ${after[0]}`}
  order by  id desc
  limit     ${limit}
`;
