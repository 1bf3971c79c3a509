import type { Clock } from "../../ports/clock.ts";
import type { Transactor } from "../../ports/transactor.ts";
import { transact } from "../access/transact-as.ts";
import { nextTimer } from "../model/agents/agent.ts";

/**
 * Starts timers anew that lie further away than their interval, because a clock was ahead when they were set. Returns the
 * number of such timers.
 */
export const correctTimers = (transactor: Transactor, clock: Clock) => (limit: number) =>
  transact(transactor, function* (stores) {
    const at = clock.now();
    const tooFar = yield* stores.agents.lockTimersTooFar(at, limit);
    for (const agent of tooFar) yield* stores.agents.setNextTimer(agent.id, nextTimer(agent, at));
    return tooFar.length;
  });
