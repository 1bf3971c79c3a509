import type { Clock } from "../../../ports/clock.ts";
import type { McpProbe } from "../../../ports/mcp-probe.ts";
import type { SecretProviders } from "../../../ports/secret-provider.ts";
import type { Transactor } from "../../../ports/transactor.ts";
import type { Views } from "../../../ports/views.ts";
import { addMcpServer } from "./add-mcp-server.ts";
import { listMcpServersOfAgent } from "./list-mcp-servers-of-agent.ts";
import { removeMcpServer } from "./remove-mcp-server.ts";
import { updateMcpServer } from "./update-mcp-server.ts";

/** The use cases of a company's MCP servers. */
export const mcpServers = (
  transactor: Transactor,
  clock: Clock,
  providers: SecretProviders,
  probe: McpProbe,
  views: Views,
) => ({
  add: addMcpServer(transactor, clock, providers, probe),
  update: updateMcpServer(transactor, clock, providers, probe),
  remove: removeMcpServer(transactor, clock),
  ofAgent: listMcpServersOfAgent(transactor, views),
});

export type McpServers = ReturnType<typeof mcpServers>;
