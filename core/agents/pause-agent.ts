import * as Effect from "effect/Effect";
import type { Clock } from "../../ports/clock.ts";
import type { Transactor } from "../../ports/transactor.ts";
import type { Actor } from "../access/caller.ts";
import { transact } from "../access/transact-as.ts";
import { logAction } from "../activity/log-action.ts";
import { stopRuns } from "../runs/stop-runs.ts";
import type { AgentId } from "../shared/ids.ts";
import { pause } from "./agent.ts";

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
