import * as Effect from "effect/Effect";
import type { Clock } from "../../../ports/clock.ts";
import type { Transactor } from "../../../ports/transactor.ts";
import { logAction } from "../../access/log-action.ts";
import { transact } from "../../access/transact-as.ts";
import type { Actor } from "../../model/access/caller.ts";
import { AgentKeyNotFound } from "../../model/agents/agent-key.ts";
import type { AgentId, AgentKeyId } from "../../model/shared/ids.ts";

export interface RevokeAgentKey {
  readonly keyId: AgentKeyId;
  readonly agentId: AgentId;
  readonly by: Actor;
}

export const revokeAgentKey = (transactor: Transactor, clock: Clock) => (command: RevokeAgentKey) =>
  transact(transactor, function* (stores) {
    const agent = yield* stores.agents.lock(command.agentId);
    const at = clock.now();
    if (!(yield* stores.agents.revokeKey(command.keyId, agent.id, at)))
      yield* Effect.fail(new AgentKeyNotFound());
    yield* logAction(stores, agent, command.by, at, "agent.key_revoked", { keyId: command.keyId });
    return { ok: true as const };
  });
