import * as Effect from "effect/Effect";
import type { Sql } from "postgres";
import type { Actor } from "../../../core/model/access/caller.ts";
import { openPullRequestStates, type PullRequest } from "../../../core/model/repositories/pull-request.ts";
import type { IssueId, PullRequestId, RepositoryId } from "../../../core/model/shared/ids.ts";
import type { Instant } from "../../../core/model/shared/instant.ts";
import type { PullRequestStore } from "../../../ports/stores/pull-request-store.ts";
import { pullRequestColumns } from "../columns.ts";
import { setOf } from "../facts.ts";
import { actorOfRow, actorRow } from "../rows.ts";
import type { Statements } from "../transaction.ts";

export const pullRequestStore = (tx: Statements): PullRequestStore => ({
  lock: (id) => one(tx.first(lockPullRequest(id))),
  openOf: (issueId, repositoryId) => one(tx.first(openPullRequest(issueId, repositoryId))),
  isOfAnother: (issueId, repositoryId, branch) =>
    tx.first(branchOfAnother(issueId, repositoryId, branch)).pipe(Effect.map((found) => found !== null)),
  insert: (pullRequest) => tx.write(insertPullRequest(pullRequest)),
  save: (pullRequest) => tx.write(savePullRequest(pullRequest)),
  remove: (id) => tx.write(deletePullRequest(id)),
  takeDue: (times, most) =>
    tx.read(takeDuePullRequests(times, most)).pipe(Effect.map((rows) => rows.map(pullRequestOf))),
  hurry: (repositoryId, at, everySec) =>
    tx.read(hurryPullRequests(repositoryId, at, everySec)).pipe(Effect.map(({ length }) => length)),
  takeNotes: (id, hostIds, at) =>
    hostIds.length === 0
      ? Effect.succeed([])
      : tx.read(takeHostNotes(id, hostIds, at)).pipe(Effect.map((rows) => rows.map(({ hostId }) => hostId))),
});

interface Row extends Omit<PullRequest, "by"> {
  readonly byKind: Actor["kind"];
  readonly byId: string | null;
  readonly byRunId: string | null;
}

const pullRequestOf = ({ byKind, byId, byRunId, ...row }: Row): PullRequest => ({
  ...row,
  by: actorOfRow(byKind, byId, byRunId),
});

const one = (row: Effect.Effect<Row | null>) =>
  Effect.map(row, (found) => (found === null ? null : pullRequestOf(found)));

const lockPullRequest = (id: PullRequestId) => (sql: Sql) =>
  sql<Row[]>`
  select  ${pullRequestColumns(sql)}
  from    pull_requests
  where   id = ${id}
  for     no key update
`;

const openPullRequest = (issueId: IssueId, repositoryId: RepositoryId) => (sql: Sql) =>
  sql<Row[]>`
  select  ${pullRequestColumns(sql)}
  from    pull_requests
  where   issue_id = ${issueId}
  and     repository_id = ${repositoryId}
  and     state in ${setOf(sql, openPullRequestStates)}
  for     no key update
`;

const branchOfAnother = (issueId: IssueId, repositoryId: RepositoryId, branch: string) => (sql: Sql) =>
  sql<object[]>`
  select  id
  from    pull_requests
  where   repository_id = ${repositoryId}
  and     branch = ${branch}
  and     issue_id <> ${issueId}
  limit   1
`;

const insertPullRequest = (pull: PullRequest) => (sql: Sql) =>
  sql`
  insert into pull_requests ${pullRequestColumns.values(sql, { ...pull, ...actorRow(pull.by) })}
  on conflict (issue_id, repository_id) where state in ${setOf(sql, openPullRequestStates)} do nothing
`;

const savedColumns = pullRequestColumns.without(`
  id, company_id, issue_id, repository_id, branch, into_branch, title, body, by_kind, by_id, by_run_id,
  created_at
`);

const savePullRequest = (pull: PullRequest) => (sql: Sql) =>
  sql`
  update  pull_requests
  set     ${savedColumns.assign(sql, pull)}
  where   id = ${pull.id}
`;

const deletePullRequest = (id: PullRequestId) => (sql: Sql) =>
  sql`
  delete from pull_requests
  where  id = ${id}
`;

const takeDuePullRequests =
  ({ at, until }: { at: Instant; until: Instant }, most: number) =>
  (sql: Sql) =>
    sql<Row[]>`
  update  pull_requests
  set     poll_at = ${until}
  where   id in (
            select    p.id
            from      pull_requests p
            join      repositories r on r.id = p.repository_id and r.removed_at is null
            join      companies c on c.id = p.company_id and c.status <> 'archived'
            where     p.state in ${setOf(sql, openPullRequestStates)}
            and       p.poll_at <= ${at}
            order by  p.poll_at
            limit     ${most}
            for       no key update of p skip locked
          )
  returning ${pullRequestColumns(sql)}
`;

const hurryPullRequests = (repositoryId: RepositoryId, at: Instant, everySec: number) => (sql: Sql) =>
  sql<{ id: PullRequestId }[]>`
  update  pull_requests
  set     poll_at = least(
                      poll_at,
                      greatest(${at}, coalesce(polled_at + make_interval(secs => ${everySec}), ${at}))
                    )
  where   repository_id = ${repositoryId}
  and     state in ${setOf(sql, openPullRequestStates)}
  returning id
`;

const takeHostNotes = (id: PullRequestId, hostIds: readonly string[], at: Instant) => (sql: Sql) =>
  sql<{ hostId: string }[]>`
  insert into host_notes (pull_request_id, company_id, host_id, created_at)
  select  p.id, p.company_id, note.id, ${at}
  from    pull_requests p
  cross join unnest(${hostIds}::text[]) as note (id)
  where   p.id = ${id}
  on conflict do nothing
  returning host_id
`;
