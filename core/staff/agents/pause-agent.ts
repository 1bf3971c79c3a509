import * as Effect from "effect/Effect";
import { useCase } from "../../access/unit-of-work.ts";
import type { Actor } from "../../model/access/caller.ts";
import { pause } from "../../model/agents/agent.ts";
import type { AgentId } from "../../model/shared/ids.ts";
import { stopRuns } from "../../queue/stop-runs.ts";

export interface PauseAgent {
  readonly agentId: AgentId;
  readonly by: Actor;
}

/** Pauses an agent: ends its live runs and cancels its waiting wakes; nothing starts until it is resumed. */
export const pauseAgent = useCase("agents.pause", function* (unit, command: PauseAgent) {
  const { agentId } = command;
  const agent = yield* unit.agents.lock(agentId);
  const paused = yield* Effect.fromResult(pause(agent, unit.at));
  if (paused === agent) return agent;
  yield* unit.agents.save(paused);
  yield* stopRuns(unit, { agentId }, "agent_paused");
  yield* unit.wakes.cancelPending({ agentId }, "agent_paused", unit.at);
  yield* unit.log("agent.paused", agent, {});
  return paused;
});
