import * as Effect from "effect/Effect";
import type { Stores } from "../../../ports/transactor.ts";
import { bindingsOfServer, type McpServer } from "../../model/mcp-servers/mcp-server.ts";
import { checkBindings } from "../../model/secrets/binding.ts";
import { ReferenceNotFound } from "../../model/shared/failure.ts";

/** Refuses agents and secrets that do not belong to the company. */
export const checkMcpReferences = Effect.fnUntraced(function* (stores: Stores, server: McpServer) {
  for (const agentId of server.agentIds)
    if ((yield* stores.agents.findInCompany(agentId, server.companyId)) === null)
      yield* Effect.fail(ReferenceNotFound.at("agentIds"));
  const bindings = bindingsOfServer(server);
  if (bindings.length === 0) return;
  const ids = [...new Set(bindings.map(({ secretId }) => secretId))].sort();
  const secrets = yield* stores.secrets.hold(server.companyId, ids);
  yield* Effect.fromResult(checkBindings(bindings, secrets, []));
});
