import * as Effect from "effect/Effect";
import type { AdapterRegistry } from "../../ports/adapter-registry.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Runners } from "../../ports/runners.ts";
import type { Views } from "../../ports/views.ts";
import type { AgentCaller, BoardCaller } from "../access/caller.ts";
import { localRunner } from "../agents/volume.ts";
import type { RunId } from "../shared/ids.ts";
import { waitsForAdapter, waitsForHost, waitsForRunner } from "./what-comes-next.ts";

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
        const runner = run.runner ?? runners.usual;
        if (runners.get(runner) === null) return { ...run, whatNext: waitsForRunner(runner) };
        const { workspace } = run;
        if (runner === localRunner && workspace !== null && workspace.givenUpAt !== null) {
          const sentence = waitsForHost({ ...workspace, givenUpAt: workspace.givenUpAt }, clock.now());
          return { ...run, waitsFor: sentence, whatNext: sentence };
        }
        if (adapters.loaded().has(run.adapterType)) return run;
        const known = adapters.known().find(({ type }) => type === run.adapterType);
        const status = known === undefined ? "missing" : known.status === "loading" ? "loading" : "failed";
        return { ...run, whatNext: waitsForAdapter(run.adapterType, status) };
      }),
    );
