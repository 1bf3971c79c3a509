import * as Effect from "effect/Effect";
import type { AdapterRegistry } from "../../ports/adapter-registry.ts";
import type { Views } from "../../ports/views.ts";
import type { RunId } from "../shared/ids.ts";
import { waitsForAdapter } from "./what-comes-next.ts";

/** Returns a run with what happens next; a queued one may wait for an adapter that this service has not loaded. */
export const showRun = (views: Views, adapters: AdapterRegistry) => (runId: RunId) =>
  views.runs.get(runId).pipe(
    Effect.map((run) => {
      if (run.status !== "queued" || adapters.loaded().has(run.adapterType)) return run;
      const known = adapters.known().find(({ type }) => type === run.adapterType);
      const status = known === undefined ? "missing" : known.status === "loading" ? "loading" : "failed";
      return { ...run, whatNext: waitsForAdapter(run.adapterType, status) };
    }),
  );
