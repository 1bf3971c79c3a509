import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import * as Effect from "effect/Effect";
import { letAgentsThrough } from "../../adapters-infra/local/agent-access.ts";
import { groupsGap, openRunGroups } from "../../adapters-infra/local/run-groups.ts";
import { detectSandbox } from "../../adapters-infra/sandbox/detect.ts";
import { closeToUsers } from "../../adapters-infra/sandbox/firewall.ts";
import type { RunLimits, Separation } from "../../ports/sandbox.ts";
import type { Config } from "./config.ts";
import { StartFailed } from "./start-failed.ts";

/** The paths that every sandboxed program may read: the service's code, its adapters and its skills. */
const sharedPaths = ({ dataDir, sandboxPaths }: Config): readonly string[] => [
  dirname(fileURLToPath(import.meta.url)),
  ...["adapters", "skills", "agent-skills"].map((name) => join(dataDir, name)),
  ...sandboxPaths,
];

/** Detects how far this machine can isolate agents; changes nothing. */
export const detectSeparation = (config: Config, limits: RunLimits = config.runLimits) =>
  detectSandbox({
    mode: config.sandbox,
    dataDir: config.dataDir,
    configuredUsers: config.agentUsers,
    reads: sharedPaths(config),
    limits,
  });

/** Returns a sentence: why a start here would not leave the limits of runs to the kernel; null where it would. */
export const detectLimitsGap = groupsGap;

/**
 * Isolates agents as far as this machine allows, and opens control groups for their runs. Fails if SERVICE_SANDBOX
 * requires more.
 */
export const keepApart = Effect.fnUntraced(function* (config: Config) {
  const { runLimits } = config;
  const groups = openRunGroups({ memoryBytes: config.runMaxMemoryBytes, processes: runLimits.processes });
  const limits = groups.gap === null ? { ...runLimits, processes: null } : runLimits;
  const found = yield* Effect.promise(() => detectSeparation(config, limits));
  if (config.sandbox === "required" && found.sandbox === null)
    return yield* new StartFailed({
      message: `SERVICE_SANDBOX is required, but this machine cannot isolate agents. ${found.separation.gaps.join(" ")}`,
    });
  const { users } = found;
  if (users !== null && process.getuid?.() === 0)
    yield* Effect.promise(() => letAgentsThrough(config.dataDir, users.gid));
  return { ...found, groups };
});

/** Closes the metadata address and the database's port to agents' users, for as long as the scope lasts. */
export const closeNetwork = Effect.fnUntraced(function* (
  config: Config,
  separation: Separation,
  databaseUrl: string,
) {
  const { agentUsers } = config;
  if (config.sandbox === "off") return separation;
  if (agentUsers === null || process.getuid?.() !== 0)
    return withGap(separation, "Agents reach every port of this machine, and a cloud's metadata address.");
  const closed = yield* Effect.acquireRelease(
    Effect.promise(() => closeToUsers(agentUsers, loopbackPort(databaseUrl))),
    (done) => Effect.promise(async () => ("open" in done ? done.open() : undefined)),
  );
  return "gap" in closed ? withGap(separation, closed.gap) : separation;
});

const withGap = ({ level, gaps }: Separation, gap: string): Separation => ({
  level: level === "separated" ? "partly" : level,
  gaps: [...gaps, gap],
});

const loopbackPort = (databaseUrl: string): readonly number[] => {
  const { hostname, port } = new URL(databaseUrl);
  return ["localhost", "127.0.0.1", "[::1]"].includes(hostname) ? [Number(port || 5432)] : [];
};
