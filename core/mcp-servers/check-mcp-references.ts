import * as Effect from "effect/Effect";
import type { Stores } from "../../ports/transactor.ts";
import { checkBindings } from "../secrets/binding.ts";
import { ReferenceNotFound } from "../shared/failure.ts";
import { bindingsOfServer, type McpServer } from "./mcp-server.ts";

/** Refuses agents and secrets that the company has not. */
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
