import * as Effect from "effect/Effect";
import type { Clock } from "../../../ports/clock.ts";
import type { Credentials } from "../../../ports/credentials.ts";
import type { Transactor } from "../../../ports/transactor.ts";
import { logAction } from "../../access/log-action.ts";
import { transact } from "../../access/transact-as.ts";
import type { Actor } from "../../model/access/caller.ts";
import { unchangeable } from "../../model/agents/agent.ts";
import type { AgentId, AgentKeyId } from "../../model/shared/ids.ts";

export interface CreateAgentKey {
  readonly id: AgentKeyId;
  readonly agentId: AgentId;
  readonly by: Actor;
  readonly name: string;
}

/** Creates a long-lived key. Only this answer contains its text. */
export const createAgentKey =
  (transactor: Transactor, clock: Clock, credentials: Credentials) => (command: CreateAgentKey) =>
    transact(transactor, function* (stores) {
      const agent = yield* stores.agents.lock(command.agentId);
      const no = unchangeable(agent);
      if (no !== null) yield* Effect.fail(no);
      const at = clock.now();
      const { text, hash } = credentials.mint("agt");
      const key = {
        id: command.id,
        companyId: agent.companyId,
        agentId: agent.id,
        name: command.name,
        createdAt: at,
      };
      yield* stores.agents.insertKey({ ...key, hash });
      yield* logAction(stores, agent, command.by, at, "agent.key_created", {
        keyId: key.id,
        name: key.name,
      });
      return { id: key.id, agentId: key.agentId, name: key.name, token: text, createdAt: at };
    });
