import * as Effect from "effect/Effect";
import type { Clock } from "../../../ports/clock.ts";
import type { Transactor } from "../../../ports/transactor.ts";
import { logAction } from "../../access/log-action.ts";
import { transact } from "../../access/transact-as.ts";
import type { Actor } from "../../model/access/caller.ts";
import { refusalOfRelease } from "../../model/agents/agent-actions.ts";
import { lostWith, VolumeUnknown } from "../../model/agents/volume.ts";
import type { AgentId, VolumeId } from "../../model/shared/ids.ts";

export interface ReleaseWorkspace {
  readonly agentId: AgentId;
  /** Where it goes; null: wherever its next run starts. */
  readonly to: VolumeId | null;
  readonly by: Actor;
}

/**
 * Takes an agent from its volume at once: its next run starts elsewhere, without the files of its workspace and without
 * its sessions. The files stay where they are.
 */
export const releaseWorkspace = (transactor: Transactor, clock: Clock) => (command: ReleaseWorkspace) =>
  transact(transactor, function* (stores) {
    const { agentId, to, by } = command;
    const agent = yield* stores.agents.lock(agentId);
    const usesWorkspace =
      agent.volume !== null && agent.volume !== to && (yield* stores.runs.isRunningOn(agentId, agent.volume));
    const no = refusalOfRelease({ ...agent, usesWorkspace });
    if (no !== null) return yield* Effect.fail(no);
    const goal = to === null ? null : yield* stores.services.findVolume(to);
    if (to !== null && goal === null) return yield* Effect.fail(new VolumeUnknown({ path: ["to"] }));
    if (agent.volume === to) return agent;
    const at = clock.now();
    yield* stores.agents.setVolume([agentId], to, at);
    const left = agent.volume === null ? null : yield* stores.services.findVolume(agent.volume);
    const sessions = agent.volume === null ? 0 : yield* stores.runs.forgetSessions(agentId, agent.volume);
    yield* logAction(stores, agent, by, at, "agent.workspace_released", {
      host: left?.host ?? null,
      to: goal?.host ?? null,
      sessions,
      lost: agent.volume === null ? null : lostWith(left?.host ?? null, sessions),
    });
    return { ...agent, volume: to };
  });
