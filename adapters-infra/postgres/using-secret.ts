import type { Fragment, Sql } from "postgres";
import type { McpServer } from "../../core/model/mcp-servers/mcp-server.ts";
import type { Repository } from "../../core/model/repositories/repository.ts";
import type { SecretId } from "../../core/model/shared/ids.ts";

/** Repositories that authenticate with the secret, or whose host signs with it. */
export const repositoriesUsing = (secretId: SecretId) => (sql: Sql) =>
  sql<Pick<Repository, "id" | "projectId" | "url">[]>`
  select    id, project_id, url
  from      repositories
  where     ${repositoryUses(sql, sql`${secretId}`)}
  order by  id
`;

export const repositoryUses = (sql: Sql, secretId: Fragment): Fragment =>
  sql`${secretId} in (credential_secret_id, webhook_secret_id) and removed_at is null`;

/** MCP servers of which a header or variable is the secret. */
export const mcpServersUsing = (secretId: SecretId) => (sql: Sql) =>
  sql<Pick<McpServer, "id" | "name">[]>`
  select    id, name
  from      mcp_servers
  where     company_id = (select company_id from secrets where id = ${secretId})
  and       ${mcpServerUses(sql, sql`${secretId}::text`)}
  order by  name collate "C"
`;

export const mcpServerUses = (sql: Sql, secretId: Fragment): Fragment =>
  sql`jsonb_path_exists(headers || env, '$.*.secretId ? (@ == $id)', jsonb_build_object('id', ${secretId}))`;
