import * as Effect from "effect/Effect";
import type { Sql } from "postgres";
import type { Actor } from "../../../core/access/caller.ts";
import type { Merge, OpenWork } from "../../../core/repositories/merge.ts";
import type { IssueId, MergeId, RepositoryId } from "../../../core/shared/ids.ts";
import { type MergeStore, mergeLeaseSec } from "../../../ports/stores/merge-store.ts";
import { issueBranchColumns } from "../columns.ts";
import { isUnmerged } from "../facts.ts";
import { actorOfRow, actorRow } from "../rows.ts";
import type { Statements } from "../transaction.ts";

export const mergeStore = (tx: Statements): MergeStore => ({
  open: (issueId) => tx.read(openWork(issueId)).pipe(Effect.map((rows) => rows.map(workOf))),
  lastMerged: (issueId, repositoryId) => one(tx.first(lastMerged(issueId, repositoryId))),
  running: (repositoryId) => tx.first(runningIn(repositoryId)),
  abandoned: () => tx.read(abandonedMerges()).pipe(Effect.map((rows) => rows.map(mergeOf))),
  lock: (id) => one(tx.first(lockMerge(id))),
  begin: (merge) => tx.write(insertMerge(merge)),
  save: (merge) => tx.write(saveMerge(merge)),
  renew: (id) => tx.write(renewMerge(id)),
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

const columns = (sql: Sql) => sql`
  id, company_id, issue_id, repository_id, method, from_commit, onto_commit, commit, state, by_kind, by_id, by_run_id,
  created_at
`;

const lease = (sql: Sql) => sql`now() + make_interval(secs => ${mergeLeaseSec})`;

type WorkRow = OpenWork["branch"] & { readonly agentName: string | null; readonly agentKey: string | null };

const workOf = ({ agentName, agentKey, ...branch }: WorkRow): OpenWork => ({
  branch,
  agent: agentName === null || agentKey === null ? null : { name: agentName, urlKey: agentKey },
});

const openWork = (issueId: IssueId) => (sql: Sql) =>
  sql<WorkRow[]>`
  select    ${issueBranchColumns(sql)},
            (select a.name from agents a join runs r on r.agent_id = a.id where r.id = b.kept_run_id) as agent_name,
            (select a.url_key from agents a join runs r on r.agent_id = a.id where r.id = b.kept_run_id) as agent_key
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

const runningIn = (repositoryId: RepositoryId) => (sql: Sql) =>
  sql<{ id: MergeId; isAlive: boolean }[]>`
  select  id, lease_until > now() as is_alive
  from    merges
  where   repository_id = ${repositoryId}
  and     state = 'running'
`;

const abandonedMerges = () => (sql: Sql) =>
  sql<MergeRow[]>`
  select    ${columns(sql)}
  from      merges
  where     state = 'running'
  and       lease_until <= now()
  order by  id
`;

const lockMerge = (id: MergeId) => (sql: Sql) =>
  sql<MergeRow[]>`
  select  ${columns(sql)}
  from    merges
  where   id = ${id}
  for     no key update
`;

const insertMerge = (merge: Merge) => (sql: Sql) =>
  sql`
  insert into merges (${columns(sql)}, lease_until)
  values (
    ${merge.id}, ${merge.companyId}, ${merge.issueId}, ${merge.repositoryId}, ${merge.method}, ${merge.fromCommit},
    ${merge.ontoCommit}, ${merge.commit}, ${merge.state}, ${merge.by.kind}, ${actorRow(merge.by).id},
    ${actorRow(merge.by).runId}, ${merge.createdAt}, ${lease(sql)}
  )
`;

const saveMerge = (merge: Merge) => (sql: Sql) =>
  sql`
  update  merges
  set     onto_commit = ${merge.ontoCommit},
          commit      = ${merge.commit},
          state       = ${merge.state},
          lease_until = ${lease(sql)}
  where   id = ${merge.id}
`;

const renewMerge = (id: MergeId) => (sql: Sql) =>
  sql`
  update  merges
  set     lease_until = ${lease(sql)}
  where   id = ${id}
`;
