import { useCase } from "../../access/unit-of-work.ts";
import type { Actor } from "../../model/access/caller.ts";
import type { McpServerId } from "../../model/shared/ids.ts";

export interface RemoveMcpServer {
  readonly mcpServerId: McpServerId;
  readonly by: Actor;
}

/** Removes a server: runs that start from now on go without it. */
export const removeMcpServer = useCase("mcpServers.remove", function* (unit, command: RemoveMcpServer) {
  const server = yield* unit.mcpServers.lock(command.mcpServerId);
  yield* unit.mcpServers.delete(server.id);
  yield* unit.log("mcp_server.removed", server, { name: server.name });
});
