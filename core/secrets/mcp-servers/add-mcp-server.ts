import * as Effect from "effect/Effect";
import type { McpProbe } from "../../../ports/mcp-probe.ts";
import type { SecretProviders } from "../../../ports/secret-provider.ts";
import type { Stores } from "../../../ports/transactor.ts";
import { transact, type UseCaseContext } from "../../access/unit-of-work.ts";
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
  (context: UseCaseContext, providers: SecretProviders, probe: McpProbe) => (command: AddMcpServer) =>
    Effect.gen(function* () {
      const at = context.clock.now();
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
      yield* context.transactor.transact(check);
      const tools = yield* testMcpServer(context, providers, probe, asked);
      return yield* transact(context, "mcpServers.add", command.by, function* (unit) {
        yield* check(unit);
        const server: McpServer = { ...asked, tools, testedAt: tools === null ? null : unit.at };
        yield* unit.mcpServers.insert(server);
        yield* unit.log("mcp_server.added", server, { name: server.name });
        return server;
      });
    });
