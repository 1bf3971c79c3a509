import * as Effect from "effect/Effect";
import type { AdapterRegistry } from "../../ports/adapter-registry.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Runners } from "../../ports/runners.ts";
import type { Views } from "../../ports/views.ts";
import type { AgentCaller, BoardCaller } from "../model/access/caller.ts";
import type { RunId } from "../model/shared/ids.ts";
import { startObstacle } from "../queue/start-obstacle.ts";

/**
 * Returns a run with what happens next; a queued one may wait for an adapter or a runner that this service has not, or
 * for the host of its agent.
 */
export const showRun =
  (views: Views, adapters: AdapterRegistry, runners: Runners, clock: Clock) =>
  (runId: RunId, caller: BoardCaller | AgentCaller) =>
    views.runs.shown(runId, caller).pipe(
      Effect.map((run) => {
        if (run.waitsFor !== null) return { ...run, whatNext: run.waitsFor };
        if (run.status !== "queued") return run;
        const obstacle = startObstacle(adapters, runners)(run, clock.now());
        if (obstacle === null) return run;
        const { sentence } = obstacle;
        return { ...run, ...(obstacle.kind === "host" ? { waitsFor: sentence } : {}), whatNext: sentence };
      }),
    );
