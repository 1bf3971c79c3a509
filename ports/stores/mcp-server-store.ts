import type * as Effect from "effect/Effect";
import type {
  McpServer,
  McpServerNameTaken,
  McpServerNotFound,
} from "../../core/model/mcp-servers/mcp-server.ts";
import type { CompanyId, McpServerId, SecretId } from "../../core/model/shared/ids.ts";

export interface McpServerStore {
  lock(id: McpServerId): Effect.Effect<McpServer, McpServerNotFound>;
  list(companyId: CompanyId): Effect.Effect<readonly McpServer[]>;
  count(companyId: CompanyId): Effect.Effect<number>;
  insert(server: McpServer): Effect.Effect<void, McpServerNameTaken>;
  save(server: McpServer): Effect.Effect<void, McpServerNameTaken>;
  delete(id: McpServerId): Effect.Effect<void>;
  /** Those of which a header or variable is the secret. */
  usingSecret(secretId: SecretId): Effect.Effect<readonly Pick<McpServer, "id" | "name">[]>;
}
