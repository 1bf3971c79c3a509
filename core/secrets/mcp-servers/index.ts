import type { McpProbe } from "../../../ports/mcp-probe.ts";
import type { SecretProviders } from "../../../ports/secret-provider.ts";
import type { Views } from "../../../ports/views.ts";
import type { UseCaseContext } from "../../access/unit-of-work.ts";
import { addMcpServer } from "./add-mcp-server.ts";
import { listMcpServersOfAgent } from "./list-mcp-servers-of-agent.ts";
import { removeMcpServer } from "./remove-mcp-server.ts";
import { updateMcpServer } from "./update-mcp-server.ts";

/** The use cases of a company's MCP servers. */
export const mcpServers = (
  context: UseCaseContext,
  providers: SecretProviders,
  probe: McpProbe,
  views: Views,
) => ({
  add: addMcpServer(context, providers, probe),
  update: updateMcpServer(context, providers, probe),
  remove: removeMcpServer(context),
  ofAgent: listMcpServersOfAgent(context, views),
});

export type McpServers = ReturnType<typeof mcpServers>;
