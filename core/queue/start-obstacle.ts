import type { AdapterRegistry } from "../../ports/adapter-registry.ts";
import type { Runners } from "../../ports/runners.ts";
import type { WorkspaceView } from "../../ports/views/volume-views.ts";
import { localRunner } from "../model/agents/volume.ts";
import {
  waitsForAdapter,
  waitsForDisk,
  waitsForHost,
  waitsForRunner,
} from "../model/runs/what-comes-next.ts";
import type { Instant } from "../model/shared/instant.ts";

/** The reason why no service starts an agent's runs, as a sentence for people. */
export interface StartObstacle {
  readonly sentence: string;
  readonly kind: "adapter" | "runner" | "host" | "disk";
}

/** Returns why this service does not start runs of that adapter and runner, or null. */
export const startObstacle =
  (adapters: AdapterRegistry, runners: Runners) =>
  (
    of: {
      readonly adapterType: string;
      /** null: the service's default. */
      readonly runner: string | null;
      readonly workspace: WorkspaceView | null;
    },
    at: Instant,
  ): StartObstacle | null => {
    const { adapterType, workspace } = of;
    const runner = of.runner ?? runners.default;
    if (runners.get(runner) === null) return { kind: "runner", sentence: waitsForRunner(runner) };
    if (runner === localRunner && workspace !== null && workspace.givenUpAt !== null)
      return {
        kind: "host",
        sentence: waitsForHost({ ...workspace, abandonedAt: workspace.givenUpAt }, at),
      };
    if (runners.get(runner)?.isDiskFull?.() === true) return { kind: "disk", sentence: waitsForDisk };
    if (adapters.loaded().has(adapterType)) return null;
    const known = adapters.known().find(({ type }) => type === adapterType);
    const status = known === undefined ? "missing" : known.status === "loading" ? "loading" : "failed";
    return { kind: "adapter", sentence: waitsForAdapter(adapterType, status) };
  };
