import * as Effect from "effect/Effect";
import type { Clock } from "../../../ports/clock.ts";
import type { Transactor } from "../../../ports/transactor.ts";
import { logAction } from "../../access/log-action.ts";
import { transact } from "../../access/transact-as.ts";
import type { Actor } from "../../model/access/caller.ts";
import { pause } from "../../model/agents/agent.ts";
import type { AgentId } from "../../model/shared/ids.ts";
import { stopRuns } from "../../queue/stop-runs.ts";

export interface PauseAgent {
  readonly agentId: AgentId;
  readonly by: Actor;
}

/** Pauses an agent: ends its live runs and cancels its waiting wakes; nothing starts until it is resumed. */
export const pauseAgent = (transactor: Transactor, clock: Clock) => (command: PauseAgent) =>
  transact(transactor, function* (stores) {
    const { agentId, by } = command;
    const agent = yield* stores.agents.lock(agentId);
    const at = clock.now();
    const paused = yield* Effect.fromResult(pause(agent, at));
    if (paused === agent) return agent;
    yield* stores.agents.save(paused);
    yield* stopRuns(stores, { agentId }, "agent_paused", at);
    yield* stores.wakes.cancelPending({ agentId }, "agent_paused", at);
    yield* logAction(stores, agent, by, at, "agent.paused", {});
    return paused;
  });
