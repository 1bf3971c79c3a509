import { join } from "node:path";
import * as Effect from "effect/Effect";
import type { KeySource } from "../../adapters-infra/local/master-key.ts";
import { programHolder } from "../../adapters-infra/local/program-holder.ts";
import type { Config } from "./config.ts";

/**
 * Starts the process by which programs outlive the service; null where the operator wants none. Process 1 of a container
 * takes every other process of it along, so that none can outlive it.
 */
export const openHolder = Effect.fnUntraced(function* (config: Config, keys: KeySource) {
  const { handoverSec, dataDir, role } = config;
  if (handoverSec === 0 || role === "api" || process.platform !== "linux" || process.pid === 1) return null;
  const folder = join(dataDir, "handover");
  const opened = programHolder({ folder, key: keys.derive("programs that outlive a service"), handoverSec });
  return yield* Effect.acquireRelease(
    Effect.as(
      Effect.promise(() => opened.begin()),
      opened,
    ),
    (holder) => Effect.sync(holder.close),
  );
});
