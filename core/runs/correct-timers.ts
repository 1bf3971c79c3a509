import { systemUseCase } from "../access/unit-of-work.ts";
import { nextTimer } from "../model/agents/agent.ts";

/**
 * Starts timers anew that lie further away than their interval, because a clock was ahead when they were set. Returns the
 * number of such timers.
 */
export const correctTimers = systemUseCase("runs.correctTimers", function* (unit, limit: number) {
  const { at } = unit;
  const tooFar = yield* unit.agents.lockTimersTooFar(at, limit);
  for (const agent of tooFar) yield* unit.agents.setNextTimer(agent.id, nextTimer(agent, at));
  return tooFar.length;
});
