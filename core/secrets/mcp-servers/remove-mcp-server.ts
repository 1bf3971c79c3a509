import type { Clock } from "../../../ports/clock.ts";
import type { Transactor } from "../../../ports/transactor.ts";
import { logAction } from "../../access/log-action.ts";
import { transact } from "../../access/transact-as.ts";
import type { Actor } from "../../model/access/caller.ts";
import type { McpServerId } from "../../model/shared/ids.ts";

export interface RemoveMcpServer {
  readonly mcpServerId: McpServerId;
  readonly by: Actor;
}

/** Removes a server: runs that start from now on go without it. */
export const removeMcpServer = (transactor: Transactor, clock: Clock) => (command: RemoveMcpServer) =>
  transact(transactor, function* (stores) {
    const server = yield* stores.mcpServers.lock(command.mcpServerId);
    yield* stores.mcpServers.delete(server.id);
    yield* logAction(stores, server, command.by, clock.now(), "mcp_server.removed", { name: server.name });
  });
