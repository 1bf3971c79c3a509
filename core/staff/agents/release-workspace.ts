import * as Effect from "effect/Effect";
import { useCase } from "../../access/unit-of-work.ts";
import type { Actor } from "../../model/access/caller.ts";
import { refusalOfRelease } from "../../model/agents/agent-actions.ts";
import { lostWith, VolumeUnknown } from "../../model/agents/volume.ts";
import type { AgentId, VolumeId } from "../../model/shared/ids.ts";

export interface ReleaseWorkspace {
  readonly agentId: AgentId;
  /** The next volume; null: wherever its next run starts. */
  readonly to: VolumeId | null;
  readonly by: Actor;
}

/**
 * Releases an agent from its volume at once: its next run starts elsewhere, without the files of its workspace and without its
 * sessions. The files stay where they are.
 */
export const releaseWorkspace = useCase(
  "agents.releaseWorkspace",
  function* (unit, command: ReleaseWorkspace) {
    const { agentId, to } = command;
    const agent = yield* unit.agents.lock(agentId);
    const usesWorkspace =
      agent.volume !== null && agent.volume !== to && (yield* unit.runs.isRunningOn(agentId, agent.volume));
    const refusal = refusalOfRelease({ ...agent, usesWorkspace });
    if (refusal !== null) return yield* Effect.fail(refusal);
    const goal = to === null ? null : yield* unit.services.findVolume(to);
    if (to !== null && goal === null) return yield* Effect.fail(new VolumeUnknown({ path: ["to"] }));
    if (agent.volume === to) return agent;
    yield* unit.agents.setVolume([agentId], to, unit.at);
    const disk = agent.volume === null ? null : yield* unit.services.findVolume(agent.volume);
    const sessions = agent.volume === null ? 0 : yield* unit.runs.forgetSessions(agentId, agent.volume);
    yield* unit.log("agent.workspace_released", agent, {
      host: disk?.host ?? null,
      to: goal?.host ?? null,
      sessions,
      lost: agent.volume === null ? null : lostWith(disk?.host ?? null, sessions),
    });
    return { ...agent, volume: to };
  },
);
