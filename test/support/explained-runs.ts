import * as Effect from "effect/Effect";
import type { Caps } from "../../core/model/runs/gate.ts";
import type { RunId } from "../../core/model/shared/ids.ts";
import type { Instant } from "../../core/model/shared/instant.ts";
import { showRun } from "../../core/runs/show-run.ts";
import type { AdapterRegistry } from "../../ports/adapter-registry.ts";
import type { Runners } from "../../ports/runners.ts";
import type { TestStorage } from "./builders.ts";
import * as nouns from "./nouns.ts";
import { noTemplates } from "./workspaces.ts";

export const wideCaps: Caps = { instance: 1_000, company: 1_000, adapterType: 1_000 };

/** A service that has the adapter `process` and every runner. */
export const readyAdapters = {
  loaded: () => new Map([["process", {}]]),
  known: () => [],
} as unknown as AdapterRegistry;
export const readyRunners = { ...noTemplates, get: () => ({}) } as unknown as Runners;

/** The sentence of the run page. */
export const whatNextOf = (
  storage: TestStorage,
  runId: string,
  at: Instant,
  caps: Caps = wideCaps,
): Promise<string> =>
  Effect.runPromise(
    showRun(storage.views, readyAdapters, readyRunners, caps, { now: () => at })(
      runId as RunId,
      nouns.anAdmin,
    ).pipe(Effect.map(({ whatNext }) => whatNext)),
  );
