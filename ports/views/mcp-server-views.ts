import type * as Effect from "effect/Effect";
import type { McpServer, McpServerNotFound } from "../../core/model/mcp-servers/mcp-server.ts";
import type { CompanyId, McpServerId } from "../../core/model/shared/ids.ts";

export interface McpServerViews {
  /** By name. */
  list(companyId: CompanyId): Effect.Effect<readonly McpServer[]>;
  get(id: McpServerId): Effect.Effect<McpServer, McpServerNotFound>;
}
