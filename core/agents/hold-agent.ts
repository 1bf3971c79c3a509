import * as Effect from "effect/Effect";
import type { Clock } from "../../ports/clock.ts";
import type { Ids } from "../../ports/ids.ts";
import type { Transactor } from "../../ports/transactor.ts";
import type { Actor } from "../access/caller.ts";
import { callOffHire } from "../approvals/call-off-hire.ts";
import { stopRuns } from "../runs/stop-runs.ts";
import { wakeAfterHold } from "../runs/wake-after-hold.ts";
import type { AgentId } from "../shared/ids.ts";
import { pause, resume, terminate } from "./agent.ts";
import { holdsOn } from "./holds.ts";

export interface HoldAgent {
  readonly agentId: AgentId;
  readonly by: Actor;
}

/** Pauses an agent: ends its live runs and cancels its waiting wakes; nothing starts until it is resumed. */
export const pauseAgent = (transactor: Transactor, clock: Clock) => (command: HoldAgent) =>
  transactor.transact((stores) =>
    Effect.gen(function* () {
      const { agentId, by } = command;
      const agent = yield* stores.agents.lock(agentId);
      const at = clock.now();
      const paused = yield* Effect.fromResult(pause(agent, at));
      if (paused === agent) return agent;
      yield* stores.agents.save(paused);
      yield* stopRuns(stores, { agentId }, "agent_paused", at);
      yield* stores.wakes.cancelPending({ agentId }, "agent_paused", at);
      yield* stores.activity.append({
        companyId: agent.companyId,
        by,
        at,
        action: "agent.paused",
        entityId: agentId,
        details: {},
      });
      return paused;
    }),
  );

/** Lifts the manual hold. Where no other hold applies, wakes the agent once for each issue that it can continue. */
export const resumeAgent = (transactor: Transactor, clock: Clock, ids: Ids) => (command: HoldAgent) =>
  transactor.transact((stores) =>
    Effect.gen(function* () {
      const { agentId, by } = command;
      const agent = yield* stores.agents.lock(agentId);
      const at = clock.now();
      const resumed = yield* Effect.fromResult(resume(agent, at));
      if (agent.heldManuallyAt === null && agent.errorReason === null) return agent;
      yield* stores.agents.save(resumed);
      yield* stores.activity.append({
        companyId: agent.companyId,
        by,
        at,
        action: "agent.resumed",
        entityId: agentId,
        details: {},
      });
      // The end of another hold wakes it.
      const isFree = holdsOn(resumed, agent.companyStatus, at).length === 0;
      if (agent.heldManuallyAt !== null && isFree)
        yield* wakeAfterHold(stores, ids, { agentId }, agent.companyId, by, at);
      return resumed;
    }),
  );

/**
 * Terminates an agent for good and rejects the hire of a draft. Revokes its keys and ends its runs; its issues stay
 * assigned to it until they are reassigned.
 */
export const terminateAgent = (transactor: Transactor, clock: Clock, ids: Ids) => (command: HoldAgent) =>
  transactor.transact((stores) =>
    Effect.gen(function* () {
      const { agentId, by } = command;
      const agent = yield* stores.agents.lock(agentId);
      const at = clock.now();
      const terminated = terminate(agent, at);
      if (terminated === agent) return agent;
      yield* stores.agents.save(terminated);
      yield* stores.agents.revokeKeys(agentId, at);
      if (agent.standing === "pending_approval") yield* callOffHire(stores, ids, agentId, by, at);
      yield* stopRuns(stores, { agentId }, "agent_terminated", at);
      yield* stores.wakes.cancelPending({ agentId }, "agent_terminated", at);
      yield* stores.activity.append({
        companyId: agent.companyId,
        by,
        at,
        action: "agent.terminated",
        entityId: agentId,
        details: {},
      });
      return terminated;
    }),
  );
