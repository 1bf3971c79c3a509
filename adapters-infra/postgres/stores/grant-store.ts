import type { Sql } from "postgres";
import { type Grant, GrantNotFound } from "../../../core/model/approvals/grant.ts";
import type { AgentId, GrantId } from "../../../core/model/shared/ids.ts";
import type { GrantStore } from "../../../ports/stores/grant-store.ts";
import { grantColumns } from "../columns.ts";
import { orFail } from "../rows.ts";
import type { Statements } from "../transaction.ts";

export const grantStore = (tx: Statements): GrantStore => ({
  insert: (grant) => tx.write(insertGrant(grant)),
  lock: (id) => tx.first(lockGrant(id)).pipe(orFail(() => new GrantNotFound())),
  save: (grant) => tx.write(saveGrant(grant)),
  heldBy: (agentId) => tx.read(grantsHeldBy(agentId)),
});

const insertGrant = (grant: Grant) => (sql: Sql) =>
  sql`
  insert into grants ${grantColumns.values(sql, grant)}
`;

const lockGrant = (id: GrantId) => (sql: Sql) =>
  sql<Grant[]>`
  select  ${grantColumns(sql)}
  from    grants
  where   id = ${id}
  for     no key update
`;

const saveGrant = (grant: Grant) => (sql: Sql) =>
  sql`
  update  grants
  set     revoked_by_user_id = ${grant.revokedByUserId},
          revoked_at         = ${grant.revokedAt}
  where   id = ${grant.id}
`;

const grantsHeldBy = (agentId: AgentId) => (sql: Sql) =>
  sql<Grant[]>`
  select    ${grantColumns(sql)}
  from      grants
  where     agent_id = ${agentId}
  and       revoked_at is null
  order by  id
  for       share
`;
