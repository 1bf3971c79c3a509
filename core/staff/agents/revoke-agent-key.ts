import * as Effect from "effect/Effect";
import { useCase } from "../../access/unit-of-work.ts";
import type { Actor } from "../../model/access/caller.ts";
import { AgentKeyNotFound } from "../../model/agents/agent-key.ts";
import type { AgentId, AgentKeyId } from "../../model/shared/ids.ts";

export interface RevokeAgentKey {
  readonly keyId: AgentKeyId;
  readonly agentId: AgentId;
  readonly by: Actor;
}

export const revokeAgentKey = useCase("agents.revokeKey", function* (unit, command: RevokeAgentKey) {
  const agent = yield* unit.agents.lock(command.agentId);
  if (!(yield* unit.agents.revokeKey(command.keyId, agent.id, unit.at)))
    yield* Effect.fail(new AgentKeyNotFound());
  yield* unit.log("agent.key_revoked", agent, { keyId: command.keyId });
  return { ok: true as const };
});
