import * as Effect from "effect/Effect";
import type { Sql } from "postgres";
import { type Issue, IssueNotFound } from "../../../core/model/issues/issue.ts";
import { closedStatuses, readyStatuses } from "../../../core/model/issues/issue-status.ts";
import type { AgentId, CompanyId, IssueId, RunId, UserId } from "../../../core/model/shared/ids.ts";
import type { Instant } from "../../../core/model/shared/instant.ts";
import type { Actionable, IssueReferences, IssueStore } from "../../../ports/stores/issue-store.ts";
import type { WorkOnHold } from "../../../ports/stores/wake-store.ts";
import { issueColumns } from "../columns.ts";
import { lockOfCompany } from "../company-locks.ts";
import { setOf } from "../facts.ts";
import { noOtherBudgetStops, projectBudgetHolds } from "../holds.ts";
import { linksOf, orFail } from "../rows.ts";
import type { Statements } from "../transaction.ts";

export const issueStore = (tx: Statements): IssueStore => {
  /** The issues that this transaction has locked, as they are: only it can change them. */
  const locked = new Map<IssueId, Issue>();
  const known = (issue: Issue) => {
    locked.set(issue.id, issue);
    return issue;
  };
  return {
    lock: (id) =>
      Effect.suspend(() => {
        const issue = locked.get(id);
        return issue === undefined
          ? tx.first(lockIssue(id)).pipe(
              orFail(() => new IssueNotFound()),
              Effect.map(known),
            )
          : Effect.succeed(issue);
      }),
    lockOpenOf: (userId) => tx.read(lockOpenOf(userId)),
    find: (id) => tx.first(findIssue(id)).pipe(orFail(() => new IssueNotFound())),
    insert: (issue) => tx.write(insertIssue(issue)),
    save: (issue) => Effect.suspend(() => tx.write(saveIssue(known(issue)))),
    missingReferences: (companyId, references) =>
      references.parentId || references.projectId || references.goalId
        ? tx
            .read(missingReferences(companyId, references))
            .pipe(Effect.map((missing) => missing.map(({ name }) => name)))
        : Effect.succeed([]),
    parentChain: (id) =>
      tx.write(lockIssueLinksOf(id)).pipe(Effect.andThen(tx.read(parentChain(id))), Effect.map(linksOf)),
    openBlockers: (id) => tx.read(openBlockers(id)).pipe(Effect.map((rows) => rows.map((row) => row.id))),
    existing: (ids, companyId) =>
      ids.length === 0 ? Effect.succeed([]) : tx.read(existingIssues(ids, companyId)),
    holdLinks: (companyId) => tx.write(lockOfCompany("issue links", companyId)),
    lockBlockerLinks: (companyId, id, blockedBy) =>
      tx
        .write(lockOfCompany("issue links", companyId))
        .pipe(Effect.andThen(tx.read(blockerLinks(id, blockedBy))), Effect.map(linksOf)),
    replaceBlockers: (companyId, id, blockedBy) =>
      tx
        .write(lockOfCompany("issue links", companyId))
        .pipe(
          Effect.andThen(tx.write(removeBlockers(id, blockedBy))),
          Effect.andThen(tx.write(addBlockers(companyId, id, blockedBy))),
        ),
    // Of two transactions that close the last two blockers, the second must see the first: otherwise no wake follows.
    freedBy: (id) => tx.write(lockIssueLinksOf(id)).pipe(Effect.andThen(tx.read(freedBy(id)))),
    parentCompletedBy: (id) =>
      tx.write(lockIssueLinksOf(id)).pipe(Effect.andThen(tx.first(parentCompletedBy(id)))),
    actionable: (of, at) => tx.read(actionable(of, at)),
    checkedOutBy: (runId) => Effect.map(tx.first(checkedOutBy(runId)), (row) => row?.id ?? null),
    leftInProgress: (agentId, ids) => tx.read(leftInProgress(agentId, ids)),
    unlockAll: (runIds, at) =>
      Effect.suspend(() => {
        locked.clear();
        return tx.read(unlockIssues(runIds, at));
      }),
  };
};

const lockIssue = (id: IssueId) => (sql: Sql) =>
  sql<Issue[]>`
  select  ${issueColumns(sql)}
  from    issues
  where   id = ${id}
  for     no key update
`;

const lockOpenOf = (userId: UserId) => (sql: Sql) =>
  sql<Issue[]>`
  select    ${issueColumns(sql)}
  from      issues
  where     assignee_user_id = ${userId}
  and       status not in ${setOf(sql, closedStatuses)}
  order by  id
  for       no key update
`;

const findIssue = (id: IssueId) => (sql: Sql) =>
  sql<Issue[]>`
  select  ${issueColumns(sql)}
  from    issues
  where   id = ${id}
`;

const insertIssue = (issue: Issue) => (sql: Sql) =>
  sql`
  insert into issues ${issueColumns.values(sql, issue)}
`;

const savedColumns = issueColumns.without(`
  id, company_id, identifier, routine_id, created_by_agent_id, created_by_user_id, created_at
`);

/** A run that claims the issue, or a new status, ends its wait for the verdict on its gates. */
const saveIssue = (issue: Issue) => (sql: Sql) =>
  sql`
  update  issues
  set     ${savedColumns.assign(sql, issue)},
          awaits_gates_since = case
            when ${issue.status === "in_progress" && issue.checkoutRunId === null} then awaits_gates_since
          end
  where   id = ${issue.id}
`;

const missingReferences =
  (companyId: CompanyId, { parentId, projectId, goalId }: IssueReferences) =>
  (sql: Sql) =>
    sql<{ name: string }[]>`
  select 'parentId' as name
  where  ${parentId ?? null}::uuid is not null
  and    not exists (select from issues where id = ${parentId ?? null}::uuid and company_id = ${companyId})
  union all
  select 'projectId'
  where  ${projectId ?? null}::uuid is not null
  and    not exists (select from projects where id = ${projectId ?? null}::uuid and company_id = ${companyId})
  union all
  select 'goalId'
  where  ${goalId ?? null}::uuid is not null
  and    not exists (select from goals where id = ${goalId ?? null}::uuid and company_id = ${companyId})
`;

/** Locks the company's issue links when only an issue is known. */
const lockIssueLinksOf = (id: IssueId) => (sql: Sql) =>
  sql`
  select  pg_advisory_xact_lock(hashtextextended('issue links ' || company_id, 0))
  from    issues
  where   id = ${id}
`;

const parentChain = (id: IssueId) => (sql: Sql) =>
  sql<{ id: IssueId; target: IssueId | null }[]>`
  with recursive chain as (
    select  id, parent_id
    from    issues
    where   id = ${id}
    union
    select  parent.id, parent.parent_id
    from    chain
    join    issues parent on parent.id = chain.parent_id
  )
  select  id, parent_id as target
  from    chain
`;

const openBlockers = (id: IssueId) => (sql: Sql) =>
  sql<{ id: IssueId }[]>`
  select    blocker.id
  from      issue_blockers link
  join      issues blocker on blocker.id = link.blocked_by_id
  where     link.issue_id = ${id}
  and       blocker.status not in ${setOf(sql, closedStatuses)}
  order by  blocker.id
`;

const existingIssues = (ids: readonly IssueId[], companyId: CompanyId) => (sql: Sql) =>
  sql<Pick<Issue, "id" | "status">[]>`
  select  id, status
  from    issues
  where   id = any(${ids}::uuid[])
  and     company_id = ${companyId}
`;

/** The search continues from each issue once. */
const blockerLinks = (id: IssueId, blockedBy: readonly IssueId[]) => (sql: Sql) =>
  sql<{ id: IssueId; target: IssueId }[]>`
  with recursive reached as (
    select  id
    from    unnest(${blockedBy}::uuid[]) as blocker (id)
    union
    select  link.blocked_by_id
    from    reached
    join    issue_blockers link on link.issue_id = reached.id
  )
  select  link.issue_id as id, link.blocked_by_id as target
  from    issue_blockers link
  where   link.issue_id = any(array(select id from reached union select ${id}::uuid))
`;

const removeBlockers = (id: IssueId, except: readonly IssueId[]) => (sql: Sql) =>
  sql`
  delete from issue_blockers
  where  issue_id = ${id}
  and    blocked_by_id <> all(${except}::uuid[])
`;

const addBlockers = (companyId: CompanyId, id: IssueId, blockedBy: readonly IssueId[]) => (sql: Sql) =>
  sql`
  insert into issue_blockers (company_id, issue_id, blocked_by_id)
  select ${companyId}, ${id}, blocked_by_id
  from   unnest(${blockedBy}::uuid[]) as blocker (blocked_by_id)
  on conflict do nothing
`;

const freedBy = (id: IssueId) => (sql: Sql) =>
  sql<Pick<Issue, "id" | "assigneeAgentId">[]>`
  select    waiting.id, waiting.assignee_agent_id
  from      issue_blockers link
  join      issues waiting on waiting.id = link.issue_id
  where     link.blocked_by_id = ${id}
  and       waiting.assignee_agent_id is not null
  and       waiting.status not in ${setOf(sql, closedStatuses)}
  and       not exists (
              select
              from   issue_blockers other
              join   issues blocker on blocker.id = other.blocked_by_id
              where  other.issue_id = waiting.id
              and    blocker.id <> ${id}
              and    blocker.status not in ${setOf(sql, closedStatuses)}
            )
  order by  waiting.id
`;

const parentCompletedBy = (id: IssueId) => (sql: Sql) =>
  sql<Pick<Issue, "id" | "assigneeAgentId">[]>`
  select  parent.id, parent.assignee_agent_id
  from    issues child
  join    issues parent on parent.id = child.parent_id
  where   child.id = ${id}
  and     parent.assignee_agent_id is not null
  and     parent.status not in ${setOf(sql, closedStatuses)}
  and     not exists (
            select
            from   issues sibling
            where  sibling.parent_id = parent.id
            and    sibling.id <> child.id
            and    sibling.status not in ${setOf(sql, closedStatuses)}
          )
`;

/**
 * `isReady` of the core; a test compares both. Literals, because with a parameter the plan reads all issues of the
 * agent; projects apart, because together the plan reads all projects.
 */
const actionable = (of: WorkOnHold, at: Instant) => (sql: Sql) =>
  sql<Actionable[]>`
  with ready as materialized (
    select  id, assignee_agent_id, project_id, priority_rank, last_activity_at
    from    issues
    where   ${ofWork(sql, of)}
    and     assignee_agent_id is not null
    and     status in ${setOf(sql, readyStatuses)}
    and     awaits_gates_since is null
    and     ${waitsForNothing(sql)}
  )
  select    id, assignee_agent_id
  from      ready as issues
  where     not ${projectBudgetHolds(sql, sql`issues`, at)}
  order by  priority_rank, last_activity_at desc, id desc
`;

const ofWork = (sql: Sql, of: WorkOnHold) => {
  if ("agentId" in of) return sql`assignee_agent_id = ${of.agentId}`;
  if ("companyId" in of) return sql`company_id = ${of.companyId}`;
  if ("issueId" in of) return sql`id = ${of.issueId}`;
  return sql`project_id = ${of.projectId} and ${noOtherBudgetStops(sql, sql`assignee_agent_id`)}`;
};

const waitsForNothing = (sql: Sql) => sql`
  not exists (
    select
    from   issue_blockers link
    join   issues blocker on blocker.id = link.blocked_by_id
    where  link.issue_id = issues.id
    and    blocker.status not in ${setOf(sql, closedStatuses)}
  )
`;

const leftInProgress = (agentId: AgentId, ids: readonly IssueId[]) => (sql: Sql) =>
  sql<Pick<Issue, "id" | "identifier">[]>`
  select    id, identifier
  from      issues
  where     id = any(${ids}::uuid[])
  and       assignee_agent_id = ${agentId}
  and       status = ${"in_progress" satisfies Issue["status"]}
  and       checkout_run_id is null
  order by  id
`;

const checkedOutBy = (runId: RunId) => (sql: Sql) =>
  sql<Pick<Issue, "id">[]>`
  select    id
  from      issues
  where     checkout_run_id = ${runId}
  order by  started_at desc nulls last, id desc
  limit     1
`;

const unlockIssues = (runIds: readonly RunId[], at: Instant) => (sql: Sql) =>
  sql<Pick<Issue, "id" | "identifier">[]>`
  update  issues
  set     checkout_run_id = null,
          held_since      = null,
          updated_at      = ${at}
  where   checkout_run_id = any(${runIds}::uuid[])
  returning id, identifier
`;
