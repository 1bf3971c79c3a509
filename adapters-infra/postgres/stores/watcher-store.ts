import * as Effect from "effect/Effect";
import type { Sql } from "postgres";
import type { IssueId, UserId } from "../../../core/model/shared/ids.ts";
import { addSeconds, type Instant } from "../../../core/model/shared/instant.ts";
import type { Watch, WatcherStore } from "../../../ports/stores/watcher-store.ts";
import type { Statements } from "../transaction.ts";

export const watcherStore = (tx: Statements): WatcherStore => ({
  add: (watch) => tx.write(addWatcher(watch)),
  see: (watch) => tx.write(recordSeen(watch)),
  mention: (issue, userIds) => (userIds.length === 0 ? Effect.void : tx.write(recordMention(issue, userIds))),
  remove: (issueId, userId) => tx.write(removeWatcher(issueId, userId)),
});

const addWatcher =
  ({ companyId, issueId, userId, at }: Watch) =>
  (sql: Sql) =>
    sql`
  insert into issue_watchers (company_id, issue_id, user_id, watching_since, seen_at)
  values (${companyId}, ${issueId}, ${userId}, ${at}, ${at})
  on conflict (issue_id, user_id) do nothing
`;

const recordSeen =
  ({ companyId, issueId, userId, at, seenAt }: Watch & { readonly seenAt: Instant }) =>
  (sql: Sql) =>
    sql`
  insert into issue_watchers (company_id, issue_id, user_id, watching_since, seen_at)
  values (${companyId}, ${issueId}, ${userId}, ${at}, ${seenAt})
  on conflict (issue_id, user_id) do update
  set    seen_at = greatest(issue_watchers.seen_at, excluded.seen_at)
`;

/** The comment itself is news: it has the time of the mention. */
const recordMention =
  ({ companyId, issueId, at }: Omit<Watch, "userId">, userIds: readonly UserId[]) =>
  (sql: Sql) =>
    sql`
  insert into issue_watchers (company_id, issue_id, user_id, watching_since, seen_at, mentioned_at)
  select    ${companyId}, ${issueId}, id, ${at}, ${addSeconds(at, -0.001)}, ${at}
  from      unnest(${[...userIds]}::uuid[]) as mentioned (id)
  order by  id
  on conflict (issue_id, user_id) do update
  set       mentioned_at = excluded.mentioned_at
`;

const removeWatcher = (issueId: IssueId, userId: UserId) => (sql: Sql) =>
  sql`
  delete from issue_watchers
  where  issue_id = ${issueId}
  and    user_id = ${userId}
`;
