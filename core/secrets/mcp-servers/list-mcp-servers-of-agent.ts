import * as Effect from "effect/Effect";
import type { Views } from "../../../ports/views.ts";
import type { UseCaseContext } from "../../access/unit-of-work.ts";
import { AgentNotFound } from "../../model/agents/agent.ts";
import { isForAgent } from "../../model/mcp-servers/mcp-server.ts";
import type { AgentId, CompanyId } from "../../model/shared/ids.ts";

export interface ListMcpServersOfAgent {
  readonly agentId: AgentId;
  readonly companyId: CompanyId;
}

/** The servers that the agent's next run gets. */
export const listMcpServersOfAgent =
  (context: UseCaseContext, views: Pick<Views, "mcpServers">) =>
  ({ agentId, companyId }: ListMcpServersOfAgent) =>
    Effect.gen(function* () {
      const agent = yield* context.transactor.transact(({ agents }) =>
        agents.findInCompany(agentId, companyId),
      );
      if (agent === null) return yield* Effect.fail(new AgentNotFound());
      const all = yield* views.mcpServers.list(companyId);
      return all.filter((server) => isForAgent(server, agent));
    });
