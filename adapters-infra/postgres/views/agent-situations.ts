import * as Effect from "effect/Effect";
import type { Sql } from "postgres";
import type { LiveRunFacts, SituationFacts } from "../../../core/model/agents/situation-facts.ts";
import type { CompanyStatus } from "../../../core/model/companies/company.ts";
import { closedStatuses, startedStatuses } from "../../../core/model/issues/issue-status.ts";
import { liveRunStatuses } from "../../../core/model/runs/run-status.ts";
import type { AgentId, CompanyId, IssueId, RunId } from "../../../core/model/shared/ids.ts";
import type { Instant } from "../../../core/model/shared/instant.ts";
import type { AgentViews, CurrentRun, StoredSituation } from "../../../ports/views/agent-views.ts";
import type { Database } from "../database.ts";
import { holdsOf, namedRunner, openPermissionRequests, setOf } from "../facts.ts";
import { folded } from "../folded.ts";
import { isHeldAsRestored, projectBudgetHolds } from "../holds.ts";
import { waitsForAnswer } from "../idle-issues.ts";
import { fromJsonRow, type JsonRow } from "../json-rows.ts";
import { historiesOf, type RunHistory } from "../run-histories.ts";
import { workspaceFrom, workspaceOf } from "../volumes.ts";

type SituationsOf = Parameters<AgentViews["situations"]>[0];

/** As many runs and issues of an agent as a person reads; the gate judges these runs. */
const mostOfEach = 10;

/** The facts that `situationOf` of the core needs, at a time. */
export const agentSituations = (
  database: Database,
  of: SituationsOf,
  at: Instant,
): Effect.Effect<readonly StoredSituation[]> =>
  Effect.gen(function* () {
    const found = yield* Effect.all(
      {
        agents: database.read(agentFacts(of, at)),
        approvals: database.read(pendingApprovals(of)),
        runs: database.read(liveRuns(of)),
        issues: database.read(idleIssues(of, at)),
      },
      { concurrency: "unbounded" },
    );
    const queued = found.runs.filter(({ status }) => status === "queued");
    const [histories, slots] =
      queued.length === 0
        ? [[], []]
        : yield* Effect.all([database.read(historiesOf(queued, at)), database.read(usedSlots)], {
            concurrency: "unbounded",
          });
    const historyOf = new Map(histories.map((history) => [history.id, history]));
    const approvalsOf = byAgent(found.approvals, ({ agentId: _, ...approval }) => approval);
    const runsOf = byAgent(found.runs, (run) => run);
    const issuesOf = byAgent(found.issues, ({ agentId: _, ...issue }) => issue);
    return found.agents.map((row) => ({
      agent: row,
      name: row.name,
      adapterType: row.adapterType,
      runner: row.runner,
      company: row.companyStatus,
      agentCausedRunLimit: row.agentCausedRunLimit,
      isHeldAsRestored: row.isHeldAsRestored,
      accountHeldUntil: row.accountHeldUntil,
      backlogCount: row.backlogCount,
      pausedBy: row.pausedByRow === null ? null : actOf(row.pausedByRow),
      companyPausedBy: row.companyPausedByRow === null ? null : actOf(row.companyPausedByRow),
      currentRun: currentRunOf(runsOf.get(row.id) ?? []),
      workspace: workspaceFrom(row.workspaceRow),
      running: runningOf(row, slots),
      approvals: approvalsOf.get(row.id) ?? [],
      runs: (runsOf.get(row.id) ?? []).map((run) => runOf(run, historyOf.get(run.id))),
      issues: issuesOf.get(row.id) ?? [],
    }));
  });

const byAgent = <Row extends { readonly agentId: AgentId | null }, Fact>(
  rows: readonly Row[],
  factOf: (row: Row) => Fact,
): ReadonlyMap<AgentId | null, readonly Fact[]> => {
  const facts = new Map<AgentId | null, Fact[]>();
  for (const row of rows) {
    const known = facts.get(row.agentId);
    if (known === undefined) facts.set(row.agentId, [factOf(row)]);
    else known.push(factOf(row));
  }
  return facts;
};

const actOf = fromJsonRow<NonNullable<SituationFacts["pausedBy"]>>({ at: true });

interface AgentFactsRow
  extends Omit<
      StoredSituation,
      | "agent"
      | "approvals"
      | "company"
      | "companyPausedBy"
      | "currentRun"
      | "issues"
      | "pausedBy"
      | "running"
      | "runs"
      | "workspace"
    >,
    Omit<StoredSituation["agent"], "id"> {
  readonly id: AgentId;
  readonly companyId: CompanyId;
  readonly companyStatus: CompanyStatus;
  readonly workspaceRow: JsonRow | null;
  readonly pausedByRow: JsonRow | null;
  readonly companyPausedByRow: JsonRow | null;
}

/** Reads `agents a`. */
const chosen = (sql: Sql, of: SituationsOf) =>
  "agentId" in of
    ? sql`a.id = ${of.agentId}`
    : sql`a.company_id = ${of.companyId} and a.lifecycle_state <> 'terminated'`;

const agentFacts = (of: SituationsOf, at: Instant) => (sql: Sql) => {
  const lastAct = (entity: "agent" | "company") => sql`
  (
    select    jsonb_build_object('name', (select name from board_users where id = act.actor_id), 'at', act.created_at)
    from      activity act
    where     act.entity_id = ${entity === "agent" ? sql`a.id` : sql`c.id`}
    and       act.action = ${`${entity}.paused`}
    order by  act.id desc
    limit     1
  )
`;
  return sql<AgentFactsRow[]>`
  select    a.id, a.company_id, a.name, a.adapter_type, a.lifecycle_state, a.runtime_config,
            a.error_reason, a.next_timer_at, c.agent_caused_run_limit,
            ${holdsOf(sql, { agent: sql`a`, company: sql`c` })},
            ${namedRunner(sql, { agent: sql`a`, company: sql`c` })} as runner,
            ${workspaceOf(sql)} as workspace_row,
            ${isHeldAsRestored(sql)} as is_held_as_restored,
            hold.not_before as account_held_until,
            case when a.held_manually_at is not null then ${lastAct("agent")} end as paused_by_row,
            case when c.status = 'paused' then ${lastAct("company")} end as company_paused_by_row,
            (
              select  count(*)
              from    issues i
              where   i.company_id = a.company_id
              and     i.assignee_agent_id = a.id
              and     i.status = 'backlog'
            ) as backlog_count
  from      agents a
  join      companies c on c.id = a.company_id
  left join volumes volume on volume.id = a.volume
  left join account_holds hold on hold.adapter_type = a.adapter_type
                              and hold.account_key = a.account
                              and hold.not_before > ${at}
  where     ${chosen(sql, of)}
  order by  ${folded(sql, "a.name")}, a.id
`;
};

type ApprovalRow = SituationFacts["approvals"][number] & { readonly agentId: AgentId };

const pendingApprovals = (of: SituationsOf) => (sql: Sql) =>
  sql<ApprovalRow[]>`
  select    a.id as agent_id, asked.id, coalesce(asked.agent_id = a.id, false) as is_of_hire, asked.created_at as since
  from      approvals asked
  join      agents a on a.company_id = asked.company_id
                    and (asked.requested_by_agent_id = a.id or asked.agent_id = a.id)
  where     asked.status = 'pending'
  and       ${chosen(sql, of)}
  order by  asked.id
`;

/** The running runs of an agent. */
interface UsedSlots {
  readonly companyId: CompanyId;
  readonly adapterType: string;
  readonly agentId: AgentId;
  readonly count: number;
}

const usedSlots = (sql: Sql) =>
  sql<UsedSlots[]>`
  select    company_id, adapter_type, agent_id, count(*) as count
  from      runs
  where     status = 'running'
  group by  company_id, adapter_type, agent_id
`;

const runningOf = (
  { id, companyId, adapterType }: Pick<AgentFactsRow, "id" | "companyId" | "adapterType">,
  slots: readonly UsedSlots[],
): SituationFacts["running"] => {
  const slotsOf = (isCounted: (of: UsedSlots) => boolean) =>
    slots.reduce((sum, each) => (isCounted(each) ? sum + each.count : sum), 0);
  return {
    instance: slotsOf(() => true),
    company: slotsOf((each) => each.companyId === companyId),
    adapterType: slotsOf((each) => each.adapterType === adapterType),
    agent: slotsOf((each) => each.agentId === id),
  };
};

interface LiveRunRow
  extends Omit<LiveRunFacts, "of" | "issue" | "recent" | "accountHeldUntil" | "isBeingStopped"> {
  readonly id: RunId;
  readonly agentId: AgentId;
  readonly causedByAgents: boolean;
  readonly issueId: IssueId | null;
  readonly issueTitle: string | null;
  readonly of: LiveRunFacts["of"];
  readonly issue: LiveRunFacts["issue"];
}

/** The same run as `currentRun` of `current-run.ts` reads. */
const currentRunOf = (runs: readonly LiveRunRow[]): CurrentRun | null => {
  const run = runs.find(({ status }) => status === "running");
  if (run === undefined) return null;
  const { id, issueId, of, issueTitle, wakeReason, startedAt } = run;
  return {
    id,
    issueId,
    issueIdentifier: of?.identifier ?? null,
    issueTitle,
    wakeReason,
    startedAt: startedAt!,
  };
};

const runOf = (
  { agentId: _, causedByAgents: __, issueId: ___, issueTitle: ____, ...run }: LiveRunRow,
  history: RunHistory | undefined,
): LiveRunFacts => {
  const { ofCause = 0, ofIssue = 0, byAgents = 0 } = history ?? {};
  return {
    ...run,
    recent: { ofCause, ofIssue, byAgents },
    accountHeldUntil: history?.accountHeldUntil ?? null,
    isBeingStopped: history?.isBeingStopped ?? false,
  };
};

const liveRuns = (of: SituationsOf) => (sql: Sql) =>
  sql<LiveRunRow[]>`
  select    ranked.*
  from      (
    select    live.*,
              row_number() over (
                partition by live.agent_id
                order by     ${"runId" in of && of.runId !== undefined ? sql`live.id = ${of.runId} desc,` : sql``} live.started_at nulls last, live.quarantined_since is not null, live.created_at, live.id
              ) as position
    from      (
      select    run.id, run.agent_id, run.status, run.wake_reason, run.context, run.stop_requested_at, run.started_at,
                run.created_at, run.quarantined_since, run.not_before, run.caused_by_agents, run.issue_id, issue.title as issue_title,
                project.held_by_budget_at as project_held_by_budget_at,
                case when issue.id is not null then
                  jsonb_build_object('id', issue.id, 'identifier', issue.identifier)
                end as of,
                case when issue.id is not null then
                  jsonb_build_object('status', issue.status, 'assigneeAgentId', issue.assignee_agent_id)
                end as issue,
                exists (select from ${openPermissionRequests(sql, sql`run`)}) as waits_for_permission
      from      agents a
      join      runs run on run.company_id = a.company_id and run.agent_id = a.id
      left join issues issue on issue.id = run.issue_id
      left join projects project on project.id = issue.project_id
      where     ${chosen(sql, of)}
      and       run.status in ${setOf(sql, liveRunStatuses)}
    ) as live
  ) as ranked
  where     ranked.position <= ${mostOfEach}
  order by  ranked.agent_id, ranked.position
`;

type IdleIssueRow = SituationFacts["issues"][number] & { readonly agentId: AgentId };

const idleIssues = (of: SituationsOf, at: Instant) => (sql: Sql) =>
  sql<IdleIssueRow[]>`
  select        idle.*
  from          agents a
  cross join    lateral (
    select    issue.id, issue.identifier, issue.status, issue.assignee_agent_id as agent_id,
              issue.last_activity_at as since, issue.awaits_gates_since is not null as awaits_gates,
              (
                select    coalesce(
                            jsonb_agg(
                              jsonb_build_object('id', blocker.id, 'identifier', blocker.identifier)
                              order by blocker.identifier collate "C"
                            ),
                            '[]'
                          )
                from      issue_blockers link
                join      issues blocker on blocker.id = link.blocked_by_id
                where     link.issue_id = issue.id
                and       blocker.status not in ${setOf(sql, closedStatuses)}
              ) as blockers,
              ${waitsForAnswer(sql, sql`issue`)} as waits_for_answer,
              ${projectBudgetHolds(sql, sql`issue`, at)} as is_held_by_project_budget
    from      issues issue
    where     issue.company_id = a.company_id
    and       issue.assignee_agent_id = a.id
    and       issue.status in ${setOf(sql, startedStatuses)}
    and       issue.checkout_run_id is null
    and       not exists (
                select
                from    runs run
                where   run.issue_id = issue.id
                and     run.agent_id = a.id
                and     run.status in ${setOf(sql, liveRunStatuses)}
              )
    order by  issue.priority_rank, issue.last_activity_at desc, issue.id desc
    limit     ${mostOfEach}
  ) as idle
  where         ${chosen(sql, of)}
`;
