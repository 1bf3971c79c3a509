import * as Effect from "effect/Effect";
import type { Sql } from "postgres";
import { type McpServer, McpServerNotFound } from "../../../core/model/mcp-servers/mcp-server.ts";
import type { CompanyId, McpServerId } from "../../../core/model/shared/ids.ts";
import type { McpServerStore } from "../../../ports/stores/mcp-server-store.ts";
import { mcpServerColumns } from "../columns.ts";
import { orFail } from "../rows.ts";
import type { Statements } from "../transaction.ts";
import { mcpServersUsing } from "../using-secret.ts";

export const mcpServerStore = (tx: Statements): McpServerStore => ({
  lock: (id) => tx.first(lockServer(id)).pipe(orFail(() => new McpServerNotFound())),
  list: (companyId) => tx.read(listServers(companyId)),
  count: (companyId) => tx.read(countServers(companyId)).pipe(Effect.map(([row]) => row?.count ?? 0)),
  insert: (server) => tx.write(insertServer(server)),
  save: (server) => tx.write(saveServer(server)),
  delete: (id) => tx.write(deleteServer(id)),
  usingSecret: (secretId) => tx.read(mcpServersUsing(secretId)),
});

const lockServer = (id: McpServerId) => (sql: Sql) =>
  sql<McpServer[]>`
  select  ${mcpServerColumns(sql)}
  from    mcp_servers
  where   id = ${id}
  for     no key update
`;

const listServers = (companyId: CompanyId) => (sql: Sql) =>
  sql<McpServer[]>`
  select    ${mcpServerColumns(sql)}
  from      mcp_servers
  where     company_id = ${companyId}
  order by  name collate "C"
`;

const countServers = (companyId: CompanyId) => (sql: Sql) =>
  sql<{ count: number }[]>`
  select  count(*)::int as count
  from    mcp_servers
  where   company_id = ${companyId}
`;

const insertServer = (server: McpServer) => (sql: Sql) =>
  sql`
  insert into mcp_servers ${mcpServerColumns.values(sql, server)}
`;

const savedColumns = mcpServerColumns.without("id, company_id, created_at");

const saveServer = (server: McpServer) => (sql: Sql) =>
  sql`
  update  mcp_servers
  set     ${savedColumns.assign(sql, server)}
  where   id = ${server.id}
`;

const deleteServer = (id: McpServerId) => (sql: Sql) =>
  sql`
  delete from mcp_servers
  where  id = ${id}
`;
