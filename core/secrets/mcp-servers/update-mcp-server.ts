import * as Effect from "effect/Effect";
import type { McpProbe } from "../../../ports/mcp-probe.ts";
import type { SecretProviders } from "../../../ports/secret-provider.ts";
import type { Stores } from "../../../ports/transactor.ts";
import { transact, type UseCaseContext } from "../../access/unit-of-work.ts";
import type { Actor } from "../../model/access/caller.ts";
import { secretsSentElsewhere } from "../../model/agents/destinations.ts";
import {
  checkedMcpServer,
  type McpServer,
  type McpServerFields,
  mcpServerFields,
} from "../../model/mcp-servers/mcp-server.ts";
import { secretNamedAgain } from "../../model/shared/destination.ts";
import type { McpServerId } from "../../model/shared/ids.ts";
import { patched } from "../../model/shared/patch.ts";
import { checkMcpReferences } from "./check-mcp-references.ts";
import { testMcpServer } from "./test-mcp-server.ts";

export interface UpdateMcpServer extends McpServerFields {
  readonly mcpServerId: McpServerId;
  readonly by: Actor;
}

/** Changes a server, and tests it again even if nothing is changed. */
export const updateMcpServer =
  (context: UseCaseContext, providers: SecretProviders, probe: McpProbe) => (command: UpdateMcpServer) =>
    Effect.gen(function* () {
      const decide = (stores: Stores) =>
        Effect.gen(function* () {
          const before = yield* stores.mcpServers.lock(command.mcpServerId);
          const decided = patched(before, command as McpServerFields, mcpServerFields, context.clock.now());
          yield* Effect.fromResult(checkedMcpServer(decided.after));
          for (const at of ["headers", "env"] as const) {
            const isMoved =
              secretsSentElsewhere(settingsOf(before), settingsOf(decided.after), at).length > 0;
            const isNamed = command[at] !== undefined;
            yield* Effect.fromResult(secretNamedAgain([at], { isMoved, isNamed }));
          }
          yield* checkMcpReferences(stores, decided.after);
          return decided;
        });
      const { after: asked } = yield* context.transactor.transact(decide);
      const tools = yield* testMcpServer(context, providers, probe, asked);
      return yield* transact(context, "mcpServers.update", command.by, function* (unit) {
        // A concurrent change stays, except in the fields of this one.
        const { after, changed } = yield* decide(unit);
        const server: McpServer = { ...after, tools, testedAt: tools === null ? null : unit.at };
        yield* unit.mcpServers.save(server);
        if (changed.length > 0) yield* unit.log("mcp_server.updated", server, { changed });
        return server;
      });
    });

/** The fields that say where a server, or the program that is one, sends its values. */
const settingsOf = ({ url, command, args, headers, env }: McpServer) => ({
  url,
  command,
  args,
  headers,
  env,
});
