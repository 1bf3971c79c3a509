import * as Effect from "effect/Effect";
import type { Credentials } from "../../../ports/credentials.ts";
import { useCase } from "../../access/unit-of-work.ts";
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
export const createAgentKey = (credentials: Credentials) =>
  useCase("agents.createKey", function* (unit, command: CreateAgentKey) {
    const agent = yield* unit.agents.lock(command.agentId);
    const refusal = unchangeable(agent);
    if (refusal !== null) yield* Effect.fail(refusal);
    const { text, hash } = credentials.mint("agt");
    const key = {
      id: command.id,
      companyId: agent.companyId,
      agentId: agent.id,
      name: command.name,
      createdAt: unit.at,
    };
    yield* unit.agents.insertKey({ ...key, hash });
    yield* unit.log("agent.key_created", agent, { keyId: key.id, name: key.name });
    return { id: key.id, agentId: key.agentId, name: key.name, token: text, createdAt: unit.at };
  });
