import * as Effect from "effect/Effect";
import type { Sql } from "postgres";
import type { OtherVolume } from "../../../core/model/agents/volume.ts";
import type { Issue } from "../../../core/model/issues/issue.ts";
import { closedStatuses } from "../../../core/model/issues/issue-status.ts";
import type { Project } from "../../../core/model/projects/project.ts";
import type { Running } from "../../../core/model/runs/gate.ts";
import type { Run } from "../../../core/model/runs/run.ts";
import type { IssueId, RunId, ServiceId, VolumeId } from "../../../core/model/shared/ids.ts";
import type { AgentInCompany } from "../../../ports/stores/agent-store.ts";
import type { Candidate, RunStore } from "../../../ports/stores/run-store.ts";
import { issueColumns, runColumns } from "../columns.ts";
import { setOf } from "../facts.ts";
import { historiesOf, type RunHistory } from "../run-histories.ts";
import type { Statements } from "../transaction.ts";
import { isAbandoned } from "../volumes.ts";
import { lockAgents } from "./agent-store.ts";
import { type ChosenRun, chooseRuns } from "./choose-runs.ts";

/** An arbitrary number, unique among the locks of this database. */
const claimLock = 7_203_452;

/**
 * Chooses the runs that may be next, then locks them in the common order. Waits for locked agents and issues: their
 * holders wait for nothing that a claim holds, and skipping them would delay their runs to the next slow search. Skips a
 * locked run: its holder is about to notify the servers or to end it.
 */
export const lockCandidates =
  (tx: Statements): RunStore["lockCandidates"] =>
  (scope) =>
    Effect.gen(function* () {
      yield* tx.write(takeTurn);
      const chosen = yield* tx.read(chooseRuns(scope));
      if (chosen.length === 0) return { candidates: [], mayBeMore: false };
      const runIds = chosen.map(({ id }) => id);
      const issueIds = chosen.flatMap(({ issueId }) => issueId ?? []);
      yield* tx.write(lockCompaniesShared(runIds));
      const [agents, projects, issues, runs, blockers, histories] = yield* Effect.all(
        [
          tx.read(lockAgents([...new Set(chosen.map(({ agentId }) => agentId))])),
          issueIds.length === 0 ? Effect.succeed([]) : tx.read(lockProjectsShared(issueIds)),
          issueIds.length === 0 ? Effect.succeed([]) : tx.read(lockIssues(issueIds)),
          tx.read(lockQueuedRuns(runIds)),
          issueIds.length === 0 ? Effect.succeed([]) : tx.read(openBlockersOf(issueIds)),
          tx.read(historiesOf(chosen, scope.at)),
        ],
        { concurrency: "unbounded" },
      );
      const others = [...new Set(agents.flatMap(({ volume }) => volume ?? []))].filter(
        (volume) => volume !== scope.volume,
      );
      const volumes = others.length === 0 ? [] : yield* tx.read(otherVolumes(others, scope.serviceId));
      const candidates = assemble(chosen, { agents, projects, issues, runs, blockers, histories, volumes });
      return { candidates, mayBeMore: chosen.length === scope.limit || candidates.length < chosen.length };
    });

interface CandidateRows {
  readonly agents: readonly AgentInCompany[];
  readonly projects: readonly BudgetedProject[];
  readonly issues: readonly Issue[];
  readonly runs: readonly Run[];
  readonly blockers: readonly { readonly issueId: IssueId; readonly blockedById: IssueId }[];
  readonly histories: readonly RunHistory[];
  readonly volumes: readonly OtherVolumeRow[];
}

const assemble = (
  chosen: readonly ChosenRun[],
  { agents, projects, issues, runs, blockers, histories, volumes }: CandidateRows,
): readonly Candidate[] => {
  const agentOf = new Map(agents.map((agent) => [agent.id, agent]));
  const heldOf = new Map(projects.map(({ id, heldByBudgetAt }) => [id, heldByBudgetAt]));
  const issueOf = new Map(issues.map((issue) => [issue.id, issue]));
  const runOf = new Map(runs.map((run) => [run.id, run]));
  const volumeOf = new Map(volumes.map(({ id, ...volume }) => [id, volume]));
  const historyOf = new Map(histories.map((history) => [history.id, history]));
  return chosen.flatMap((choice) => {
    const run = runOf.get(choice.id);
    const agent = agentOf.get(choice.agentId);
    const history = historyOf.get(choice.id);
    if (run === undefined || agent === undefined || history === undefined) return [];
    const { accountHeldUntil, isBeingStopped, ...recent } = history;
    const issue = run.issueId === null ? null : (issueOf.get(run.issueId) ?? null);
    const projectHeldByBudgetAt =
      issue === null || issue.projectId === null ? null : heldOf.get(issue.projectId);
    // Moved into another project meanwhile: the next search takes it.
    if (projectHeldByBudgetAt === undefined) return [];
    const running: Running = {
      instance: choice.ofInstance,
      company: choice.ofCompany,
      adapterType: choice.ofAdapter,
      agent: choice.ofAgent,
    };
    const openBlockers = blockers
      .filter(({ issueId }) => issueId === run.issueId)
      .map(({ blockedById }) => blockedById);
    const otherVolume = agent.volume === null ? null : (volumeOf.get(agent.volume) ?? null);
    return [
      {
        run,
        agent,
        issue,
        projectHeldByBudgetAt,
        openBlockers,
        isHeldAsRestored: choice.isHeldAsRestored,
        running,
        accountHeldUntil,
        recent,
        isBeingStopped,
        otherVolume,
      },
    ];
  });
};

const takeTurn = (sql: Sql) => sql`
  select pg_advisory_xact_lock(${claimLock})
`;

/** Waits for a company that is being stopped; a later stop sees the runs started now. */
const lockCompaniesShared = (ids: readonly RunId[]) => (sql: Sql) =>
  sql`
  select    id
  from      companies
  where     id = any(array(select company_id from runs where id = any(${ids}::uuid[])))
  order by  id
  for       share
`;

type OtherVolumeRow = OtherVolume & { readonly id: VolumeId };

/** Read only once the agents are locked: few have files on another volume and are chosen nevertheless. */
const otherVolumes = (ids: readonly VolumeId[], serviceId: ServiceId) => (sql: Sql) =>
  sql<OtherVolumeRow[]>`
  select  volume.id, volume.host, volume.seen_at, ${isAbandoned(sql, serviceId)} as is_abandoned
  from    volumes volume
  where   volume.id = any(${ids}::text[])
`;

type BudgetedProject = Pick<Project, "id" | "heldByBudgetAt">;

/** As for companies: waits for the projects of these issues while their budgets are applied. */
const lockProjectsShared = (issueIds: readonly IssueId[]) => (sql: Sql) =>
  sql<BudgetedProject[]>`
  select    id, held_by_budget_at
  from      projects
  where     id = any(array(select project_id from issues where id = any(${issueIds}::uuid[])))
  order by  id
  for       share
`;

const lockIssues = (ids: readonly IssueId[]) => (sql: Sql) =>
  sql<Issue[]>`
  select    ${issueColumns(sql)}
  from      issues
  where     id = any(${ids}::uuid[])
  order by  id
  for       no key update
`;

const lockQueuedRuns = (ids: readonly RunId[]) => (sql: Sql) =>
  sql<Run[]>`
  select    ${runColumns(sql)}
  from      runs
  where     id = any(${ids}::uuid[])
  and       status = 'queued'
  order by  id
  for       no key update skip locked
`;

const openBlockersOf = (ids: readonly IssueId[]) => (sql: Sql) =>
  sql<{ issueId: IssueId; blockedById: IssueId }[]>`
  select    link.issue_id, link.blocked_by_id
  from      issue_blockers link
  join      issues blocker on blocker.id = link.blocked_by_id
  where     link.issue_id = any(${ids}::uuid[])
  and       blocker.status not in ${setOf(sql, closedStatuses)}
  order by  link.blocked_by_id
`;
