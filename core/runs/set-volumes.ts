import * as Effect from "effect/Effect";
import type { Candidate } from "../../ports/stores/run-store.ts";
import type { UnitOfWork } from "../access/unit-of-work.ts";
import { type FilesLocation, lostWith } from "../model/agents/volume.ts";
import type { VolumeId } from "../model/shared/ids.ts";

type StartingRun = Pick<Candidate, "run" | "agent" | "otherVolume"> & {
  readonly filesLocation: FilesLocation;
};

/**
 * The agents of runs that are about to start belong to this volume from now on. What was on an earlier one is abandoned,
 * and the first of its runs says so.
 */
export const setVolumes = Effect.fnUntraced(function* (
  unit: UnitOfWork,
  starting: readonly StartingRun[],
  volume: VolumeId,
) {
  const { at } = unit;
  const others = starting.filter(({ filesLocation }) => filesLocation !== "here");
  const moved = [...new Map(others.toReversed().map((one) => [one.agent.id, one])).values()];
  if (moved.length === 0) return;
  yield* unit.agents.setVolume(
    moved.map(({ agent }) => agent.id),
    volume,
    at,
  );
  for (const { run, agent, otherVolume } of moved) {
    if (agent.volume === null) continue;
    const sessions = yield* unit.runs.forgetSessions(agent.id, agent.volume);
    const { companyId } = run;
    const host = otherVolume?.host ?? null;
    const lost = lostWith(host, sessions);
    const silent =
      otherVolume === null
        ? "The agent's host was forgotten."
        : `The agent's host ${otherVolume.host} hasn't been seen since ${otherVolume.seenAt} and was abandoned.`;
    yield* unit.runs.appendEvents([
      {
        companyId,
        runId: run.id,
        type: "lifecycle",
        level: "warn",
        message: `${silent} ${lost}`,
        payload: { volume: agent.volume, host, sessions },
        at,
      },
    ]);
    yield* unit.log("agent.workspace_lost", agent, { host, sessions, lost });
  }
});
