import type { Sql } from "postgres";
import { type McpServer, McpServerNotFound } from "../../../core/model/mcp-servers/mcp-server.ts";
import type { CompanyId, McpServerId } from "../../../core/model/shared/ids.ts";
import type { McpServerViews } from "../../../ports/views/mcp-server-views.ts";
import { mcpServerColumns } from "../columns.ts";
import type { Database } from "../database.ts";
import { orFail } from "../rows.ts";

export const mcpServerViews = (database: Database): McpServerViews => ({
  list: (companyId) => database.read(listServers(companyId)),
  get: (id) => database.first(getServer(id)).pipe(orFail(() => new McpServerNotFound())),
});

const listServers = (companyId: CompanyId) => (sql: Sql) =>
  sql<McpServer[]>`
  select    ${mcpServerColumns(sql)}
  from      mcp_servers
  where     company_id = ${companyId}
  order by  name collate "C"
`;

const getServer = (id: McpServerId) => (sql: Sql) =>
  sql<McpServer[]>`
  select  ${mcpServerColumns(sql)}
  from    mcp_servers
  where   id = ${id}
`;
