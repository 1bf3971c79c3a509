import { systemUseCase } from "../access/unit-of-work.ts";
import { nextTimer } from "../model/agents/agent.ts";
import { notInvokable } from "../model/agents/not-invokable.ts";
import { belongsToOriginal } from "../model/runs/restored.ts";
import { wake } from "../queue/wake-agent.ts";

/**
 * Fires the due timers: one wake each, for the most urgent issue that the agent can continue, or for none, so that
 * managers can look around. With `onlyWithWork`, a tick without such an issue writes no row and starts no process.
 * Missed ticks are not repeated, and a tick joins an earlier
 * one whose run has not started. Returns the number of due timers.
 */
export const tickTimers = systemUseCase("runs.tickTimers", function* (unit, limit: number) {
  const { at } = unit;
  const due = yield* unit.agents.lockDueTimers(at, limit);
  const waiting = yield* unit.wakes.waitingTicks(due.map(({ id }) => id));
  const restored = due.length === 0 ? null : yield* unit.services.restored();
  for (const agent of due) {
    yield* unit.agents.setNextTimer(agent.id, nextTimer(agent, at));
    if (waiting.includes(agent.id)) continue;
    if (belongsToOriginal(restored, agent.nextTimerAt ?? at)) continue;
    if (notInvokable(agent, agent.companyStatus, at) !== null) continue;
    const [issue] = yield* unit.issues.actionable({ agentId: agent.id }, at);
    if (issue === undefined && agent.runtimeConfig.heartbeat?.onlyWithWork === true) continue;
    yield* wake(unit, agent, { issueId: issue?.id ?? null, reason: "heartbeat_timer" });
  }
  return due.length;
});
