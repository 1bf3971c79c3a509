import * as Effect from "effect/Effect";
import type { Clock } from "../../../ports/clock.ts";
import type { McpProbe } from "../../../ports/mcp-probe.ts";
import type { SecretProviders } from "../../../ports/secret-provider.ts";
import type { Stores, Transactor } from "../../../ports/transactor.ts";
import { logAction } from "../../access/log-action.ts";
import { transact } from "../../access/transact-as.ts";
import type { Actor } from "../../model/access/caller.ts";
import {
  checkedMcpServer,
  type McpServer,
  type McpServerFields,
  mostMcpServers,
  TooManyMcpServers,
} from "../../model/mcp-servers/mcp-server.ts";
import type { CompanyId, McpServerId } from "../../model/shared/ids.ts";
import { checkMcpReferences } from "./check-mcp-references.ts";
import { testMcpServer } from "./test-mcp-server.ts";

export interface AddMcpServer extends McpServerFields {
  readonly id: McpServerId;
  readonly companyId: CompanyId;
  readonly by: Actor;
  readonly name: string;
}

/** Adds a server once it has listed its tools. It is tested between two transactions, which both check the references. */
export const addMcpServer =
  (transactor: Transactor, clock: Clock, providers: SecretProviders, probe: McpProbe) =>
  (command: AddMcpServer) =>
    Effect.gen(function* () {
      const at = clock.now();
      const asked: McpServer = {
        id: command.id,
        companyId: command.companyId,
        name: command.name,
        url: command.url ?? null,
        command: command.command ?? null,
        args: command.args ?? [],
        headers: command.headers ?? {},
        env: command.env ?? {},
        allowPrivateHost: command.allowPrivateHost ?? false,
        allAgents: command.allAgents ?? false,
        agentIds: command.agentIds ?? [],
        roles: command.roles ?? [],
        tools: null,
        testedAt: null,
        createdAt: at,
        updatedAt: at,
      };
      yield* Effect.fromResult(checkedMcpServer(asked));
      const check = (stores: Stores) =>
        Effect.gen(function* () {
          yield* checkMcpReferences(stores, asked);
          if ((yield* stores.mcpServers.count(asked.companyId)) >= mostMcpServers)
            yield* Effect.fail(new TooManyMcpServers());
        });
      yield* transactor.transact(check);
      const tools = yield* testMcpServer(transactor, providers, probe, asked);
      return yield* transact(transactor, function* (stores) {
        yield* check(stores);
        const now = clock.now();
        const server: McpServer = { ...asked, tools, testedAt: tools === null ? null : now };
        yield* stores.mcpServers.insert(server);
        yield* logAction(stores, server, command.by, now, "mcp_server.added", { name: server.name });
        return server;
      });
    });
