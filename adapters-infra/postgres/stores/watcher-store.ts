import type { Sql } from "postgres";
import type { IssueId, UserId } from "../../../core/model/shared/ids.ts";
import type { Instant } from "../../../core/model/shared/instant.ts";
import type { Watch, WatcherStore } from "../../../ports/stores/watcher-store.ts";
import type { Statements } from "../transaction.ts";

export const watcherStore = (tx: Statements): WatcherStore => ({
  add: (watch) => tx.write(addWatcher(watch)),
  see: (watch) => tx.write(noteSeen(watch)),
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

const noteSeen =
  ({ companyId, issueId, userId, at, seenAt }: Watch & { readonly seenAt: Instant }) =>
  (sql: Sql) =>
    sql`
  insert into issue_watchers (company_id, issue_id, user_id, watching_since, seen_at)
  values (${companyId}, ${issueId}, ${userId}, ${at}, ${seenAt})
  on conflict (issue_id, user_id) do update
  set    seen_at = greatest(issue_watchers.seen_at, excluded.seen_at)
`;

const removeWatcher = (issueId: IssueId, userId: UserId) => (sql: Sql) =>
  sql`
  delete from issue_watchers
  where  issue_id = ${issueId}
  and    user_id = ${userId}
`;
