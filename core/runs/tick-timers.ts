import type { Clock } from "../../ports/clock.ts";
import type { Ids } from "../../ports/ids.ts";
import type { Transactor } from "../../ports/transactor.ts";
import { transact } from "../access/transact-as.ts";
import { bySystem } from "../model/access/caller.ts";
import { nextTimer } from "../model/agents/agent.ts";
import { notInvokable } from "../model/agents/not-invokable.ts";
import { belongsToOriginal } from "../model/runs/restored.ts";
import { wakeAgent } from "../queue/wake-agent.ts";

/**
 * Fires the due timers: one wake each, for the most urgent issue that the agent can continue, or for none, so that
 * managers can look around. With `onlyWithWork`, a tick without such an issue writes no row and starts no process.
 * Missed ticks are not repeated, and a tick joins an earlier
 * one whose run has not started. Returns the number of due timers.
 */
export const tickTimers = (transactor: Transactor, clock: Clock, ids: Ids) => (limit: number) =>
  transact(transactor, function* (stores) {
    const at = clock.now();
    const due = yield* stores.agents.lockDueTimers(at, limit);
    const waiting = yield* stores.wakes.waitingTicks(due.map(({ id }) => id));
    const restored = due.length === 0 ? null : yield* stores.services.restored();
    for (const agent of due) {
      yield* stores.agents.setNextTimer(agent.id, nextTimer(agent, at));
      if (waiting.includes(agent.id)) continue;
      if (belongsToOriginal(restored, agent.nextTimerAt ?? at)) continue;
      if (notInvokable(agent, agent.companyStatus, at) !== null) continue;
      const [issue] = yield* stores.issues.actionable({ agentId: agent.id }, at);
      if (issue === undefined && agent.runtimeConfig.heartbeat?.onlyWithWork === true) continue;
      yield* wakeAgent(stores, ids, {
        agent,
        company: agent.companyStatus,
        issueId: issue?.id ?? null,
        reason: "heartbeat_timer",
        by: bySystem,
        at,
      });
    }
    return due.length;
  });
