import * as Effect from "effect/Effect";
import type { Sql } from "postgres";
import type { Actor } from "../../../core/model/access/caller.ts";
import type { Merge, OpenWork } from "../../../core/model/repositories/merge.ts";
import type { IssueId, MergeId, RepositoryId } from "../../../core/model/shared/ids.ts";
import type { MergeStore } from "../../../ports/stores/merge-store.ts";
import { workLease } from "../../../ports/stores/work-lease.ts";
import { issueBranchColumns } from "../columns.ts";
import { isUnmerged } from "../facts.ts";
import { actorOfRow, actorRow } from "../rows.ts";
import type { Statements } from "../transaction.ts";

export const mergeStore = (tx: Statements): MergeStore => ({
  open: (issueId) => tx.read(openWork(issueId)).pipe(Effect.map((rows) => rows.map(workOf))),
  lastMerged: (issueId, repositoryId) => one(tx.first(lastMerged(issueId, repositoryId))),
  madeOf: (repositoryId, commits) => tx.read(mergesOf(repositoryId, commits)),
  running: (repositoryId) => tx.first(runningIn(repositoryId)),
  abandoned: () => tx.read(abandonedMerges).pipe(Effect.map((rows) => rows.map(mergeOf))),
  begin: (merge) => tx.write(insertMerge(merge)),
  lockRunning: (id) => isOne(tx.first(lockRunning(id))),
  renew: (id) => isOne(tx.first(renewMerge(id))),
  recordPush: (merge) => isOne(tx.first(recordPush(merge))),
  fail: (id) => isOne(tx.first(failMerge(id))),
  finish: (merge) => isOne(tx.first(finishMerge(merge))),
});

interface MergeRow extends Omit<Merge, "by"> {
  readonly byKind: Actor["kind"];
  readonly byId: string | null;
  readonly byRunId: string | null;
}

const mergeOf = ({ byKind, byId, byRunId, ...merge }: MergeRow): Merge => ({
  ...merge,
  by: actorOfRow(byKind, byId, byRunId),
});

const one = (row: Effect.Effect<MergeRow | null>) =>
  Effect.map(row, (found) => (found === null ? null : mergeOf(found)));

const isOne = (row: Effect.Effect<object | null>) => Effect.map(row, (found) => found !== null);

const columns = (sql: Sql) => sql`
  id, company_id, issue_id, repository_id, method, from_commit, onto_commit, commit, state, by_kind, by_id, by_run_id,
  created_at
`;

const lease = (sql: Sql) => sql`now() + make_interval(secs => ${workLease.leaseSec})`;

type WorkRow = OpenWork["branch"] & { readonly agentName: string | null; readonly agentKey: string | null };

const workOf = ({ agentName, agentKey, ...branch }: WorkRow): OpenWork => ({
  branch,
  agent: agentName === null || agentKey === null ? null : { name: agentName, urlKey: agentKey },
});

const openWork = (issueId: IssueId) => (sql: Sql) =>
  sql<WorkRow[]>`
  select    ${issueBranchColumns(sql)},
            (select a.name from agents a join runs r on r.agent_id = a.id where r.id = b.captured_run_id) as agent_name,
            (select a.url_key from agents a join runs r on r.agent_id = a.id where r.id = b.captured_run_id) as agent_key
  from      issue_branches b
  where     b.issue_id = ${issueId}
  and       ${isUnmerged(sql)}
  order by  b.repository_id
`;

const lastMerged = (issueId: IssueId, repositoryId: RepositoryId) => (sql: Sql) =>
  sql<MergeRow[]>`
  select    ${columns(sql)}
  from      merges
  where     issue_id = ${issueId}
  and       repository_id = ${repositoryId}
  and       state = 'merged'
  order by  id desc
  limit     1
`;

const mergesOf = (repositoryId: RepositoryId, commits: readonly string[]) => (sql: Sql) =>
  sql<{ fromCommit: string; commit: string }[]>`
  select    from_commit, commit
  from      merges
  where     repository_id = ${repositoryId}
  and       from_commit = any(${commits as string[]})
  and       state = 'merged'
  and       commit is not null
  order by  id desc
  limit     50
`;

const runningIn = (repositoryId: RepositoryId) => (sql: Sql) =>
  sql<{ id: MergeId; isAlive: boolean }[]>`
  select  id, lease_until > now() as is_alive
  from    merges
  where   repository_id = ${repositoryId}
  and     state = 'running'
`;

const abandonedMerges = (sql: Sql) =>
  sql<MergeRow[]>`
  with lapsed as (
    update  merges
    set     lapsed_at = now()
    where   state = 'running'
    and     lease_until <= now()
    and     lapsed_at is null
  )
  select    ${columns(sql)}
  from      merges
  where     state = 'running'
  and       lapsed_at <= now() - make_interval(secs => ${workLease.lapseSec})
  order by  id
`;

const lockRunning = (id: MergeId) => (sql: Sql) =>
  sql`
  select  id
  from    merges
  where   id = ${id}
  and     state = 'running'
  for     no key update
`;

const insertMerge = (merge: Merge) => (sql: Sql) =>
  sql`
  insert into merges (${columns(sql)}, lease_until)
  values (
    ${merge.id}, ${merge.companyId}, ${merge.issueId}, ${merge.repositoryId}, ${merge.method}, ${merge.fromCommit},
    ${merge.ontoCommit}, ${merge.commit}, ${merge.state}, ${merge.by.kind}, ${actorRow(merge.by).byId},
    ${actorRow(merge.by).byRunId}, ${merge.createdAt}, ${lease(sql)}
  )
`;

const renewMerge = (id: MergeId) => (sql: Sql) =>
  sql`
  update    merges
  set       lease_until = ${lease(sql)},
            lapsed_at   = null
  where     id = ${id}
  and       state = 'running'
  returning id
`;

const recordPush =
  ({ id, ontoCommit, commit }: Pick<Merge, "id" | "ontoCommit" | "commit">) =>
  (sql: Sql) =>
    sql`
  update    merges
  set       onto_commit = ${ontoCommit},
            commit      = ${commit},
            lease_until = ${lease(sql)},
            lapsed_at   = null
  where     id = ${id}
  and       state = 'running'
  returning id
`;

const failMerge = (id: MergeId) => (sql: Sql) =>
  sql`
  update    merges
  set       state = 'failed'
  where     id = ${id}
  and       state = 'running'
  returning id
`;

const finishMerge =
  ({ id, ontoCommit, commit }: Pick<Merge, "id" | "ontoCommit" | "commit">) =>
  (sql: Sql) =>
    sql`
  update    merges
  set       onto_commit = ${ontoCommit},
            commit      = ${commit},
            state       = 'merged'
  where     id = ${id}
  and       state <> 'merged'
  returning id
`;
