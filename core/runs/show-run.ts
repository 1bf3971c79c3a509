import * as Effect from "effect/Effect";
import type { AdapterRegistry } from "../../ports/adapter-registry.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Runners } from "../../ports/runners.ts";
import type { RunInDetail } from "../../ports/views/run-views.ts";
import type { Views } from "../../ports/views.ts";
import type { AgentCaller, BoardCaller } from "../model/access/caller.ts";
import { runActions } from "../model/runs/run-actions.ts";
import { whatComesNext } from "../model/runs/what-comes-next.ts";
import type { RunId } from "../model/shared/ids.ts";
import { startObstacle } from "../queue/start-obstacle.ts";

/** A run with what happens next, or what a person can do, and the actions that the reader may take. */
export const shownRun = (
  { run, agent, issue, surroundings, at }: RunInDetail,
  caller: BoardCaller | AgentCaller,
) => ({
  ...run,
  whatNext: whatComesNext({ ...surroundings, agent }, at),
  callerMay: runActions(
    { ...run, agent, issue, projectHeldByBudgetAt: surroundings.projectHeldByBudgetAt, at },
    { caller, companyId: run.companyId, companyStatus: agent.companyStatus },
  ),
});

/**
 * Returns a run with what happens next; a queued one may wait for an adapter or a runner that this service has not, or
 * for the host of its agent.
 */
export const showRun =
  (views: Views, adapters: AdapterRegistry, runners: Runners, clock: Clock) =>
  (runId: RunId, caller: BoardCaller | AgentCaller) =>
    views.runs.get(runId).pipe(
      Effect.map((found) => {
        const run = shownRun(found, caller);
        if (run.waitsFor !== null) return { ...run, whatNext: run.waitsFor };
        if (run.status !== "queued") return run;
        const obstacle = startObstacle(adapters, runners)(run, clock.now());
        if (obstacle === null) return run;
        const { sentence } = obstacle;
        return { ...run, ...(obstacle.kind === "host" ? { waitsFor: sentence } : {}), whatNext: sentence };
      }),
    );
