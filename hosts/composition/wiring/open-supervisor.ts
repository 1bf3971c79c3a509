import { join } from "node:path";
import * as Effect from "effect/Effect";
import type { KeySource } from "../../../adapters-infra/local/master-key.ts";
import {
  programSupervisor,
  type SupervisorOptions,
} from "../../../adapters-infra/local/program-supervisor.ts";
import { type HandoverFiles, handoverFiles } from "../../../adapters-infra/runner-helper/handover-files.ts";
import type { InstallationId } from "../../../core/model/shared/ids.ts";
import type { Config } from "../config.ts";

/**
 * Starts the process by which programs outlive the service; null where the operator wants none. Process 1 of a container
 * takes every other process of it along, so that none can outlive it.
 */
export const openSupervisor = Effect.fnUntraced(function* (
  config: Config,
  keys: KeySource,
  { installation, ...parts }: Pick<SupervisorOptions, "installation" | "detach" | "guard">,
) {
  const { handoverSec, dataDir, role } = config;
  if (handoverSec === 0 || role === "api" || process.platform !== "linux" || process.pid === 1) return null;
  const folder = handoverFolder(dataDir);
  const opened = programSupervisor({
    ...parts,
    installation,
    folder,
    // Of this installation: a copy has the same master key, and finds the same supervisors.
    key: keys.derive(`programs of ${installation} that outlive a service`),
    handoverSec,
  });
  return yield* Effect.acquireRelease(
    Effect.as(
      Effect.promise(() => opened.begin()),
      opened,
    ),
    (supervisor) => Effect.sync(supervisor.close),
  );
});

const handoverFolder = (dataDir: string): string => join(dataDir, "handover");

/** The files by which the next service continues runs on engines; null where the operator wants that none outlives the service. */
export const openHandoverFiles = (
  { handoverSec, dataDir, role }: Config,
  installation: InstallationId,
  keys: KeySource,
): HandoverFiles | null =>
  handoverSec === 0 || role === "api"
    ? null
    : handoverFiles({
        folder: handoverFolder(dataDir),
        key: keys.derive(`runs of ${installation} on engines that outlive a service`),
        sec: handoverSec,
      });
