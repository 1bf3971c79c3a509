import type { Sql } from "postgres";
import type { Dismissal, InboxStore } from "../../../ports/stores/inbox-store.ts";
import type { Statements } from "../transaction.ts";

export const inboxStore = (tx: Statements): InboxStore => ({
  dismiss: (dismissal) => tx.write(insertDismissal(dismissal)),
  restore: (dismissal) => tx.write(deleteDismissal(dismissal)),
});

const insertDismissal =
  ({ userId, companyId, entryId, version, at }: Dismissal) =>
  (sql: Sql) =>
    sql`
  insert into inbox_dismissals (user_id, company_id, entry_id, version, dismissed_at)
  values (${userId}, ${companyId}, ${entryId}, ${version}, ${at})
  on conflict (user_id, entry_id) do update
  set    version = excluded.version, dismissed_at = excluded.dismissed_at
`;

const deleteDismissal =
  ({ userId, companyId, entryId }: Pick<Dismissal, "userId" | "companyId" | "entryId">) =>
  (sql: Sql) =>
    sql`
  delete from inbox_dismissals
  where  user_id = ${userId}
  and    company_id = ${companyId}
  and    entry_id = ${entryId}
`;
