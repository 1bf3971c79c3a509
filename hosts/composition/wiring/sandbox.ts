import { dirname, isAbsolute, join } from "node:path";
import { fileURLToPath } from "node:url";
import * as Effect from "effect/Effect";
import * as Schedule from "effect/Schedule";
import type * as Scope from "effect/Scope";
import { letAgentsThrough } from "../../../adapters-infra/local/agent-access.ts";
import { allReserved } from "../../../adapters-infra/local/agent-users.ts";
import { localProcess, processTable } from "../../../adapters-infra/local/process-table.ts";
import { groupsUnavailableReason, openRunGroups } from "../../../adapters-infra/local/run-groups.ts";
import { type UserClaims, userClaims } from "../../../adapters-infra/local/user-claims.ts";
import { readDatabaseUrl } from "../../../adapters-infra/postgres/database-url.ts";
import { detectSandbox } from "../../../adapters-infra/sandbox/detect.ts";
import { type Firewall, firewall } from "../../../adapters-infra/sandbox/firewall.ts";
import {
  classify,
  normalPath,
  type PathRules,
  realPath,
} from "../../../adapters-infra/sandbox/path-rules.ts";
import { packageOf, programViews } from "../../../adapters-infra/sandbox/program-view.ts";
import type { GrantedPath, HostPath } from "../../../core/model/agents/named-paths.ts";
import type { InstallationId } from "../../../core/model/shared/ids.ts";
import type { ProgramViews, RunLimits, Separation, UserRange } from "../../../ports/sandbox.ts";
import type { Config } from "../config.ts";
import type { Log } from "../log.ts";
import { SettingInvalid } from "../setting-invalid.ts";
import { StartFailed } from "../start-failed.ts";

/** Reads the rules for the paths that agents may see. Fails where SERVICE_AGENT_PATHS lists a forbidden one. */
export const openPathRules = ({ dataDir, agentPaths, agentEnv }: Config): PathRules => {
  const real = ({ path, access }: HostPath): GrantedPath => ({ path, real: realPath(path), access });
  const shared = [
    dirname(fileURLToPath(import.meta.url)),
    packageOf(process.execPath) ?? process.execPath,
    ...["adapters", "skills"].map((name) => join(dataDir, name)),
  ].map(realPath);
  const rules = { dataDir, shared, listed: [], commands: [] };
  const given = agentPaths.map(real);
  for (const { path, real } of given) {
    const pathClass = classify(rules, real, []);
    if (pathClass.kind === "never")
      throw new SettingInvalid(
        `SERVICE_AGENT_PATHS: lists ${path}, which no agent may see: it ${pathClass.why}.`,
      );
  }
  const commands = [...new Set((agentEnv.PATH ?? "").split(":"))]
    .filter((path) => isAbsolute(path))
    .map((path) => real({ path: normalPath(path, "/"), access: "read" }))
    .filter((folder) => classify(rules, folder.real, []).kind === "elsewhere");
  return { ...rules, listed: given, commands };
};

/** Detects how far this machine can isolate agents; changes nothing. */
export const detectSeparation = (
  config: Config,
  limits: RunLimits = config.runLimits,
  views: ProgramViews = programViews(openPathRules(config)),
) =>
  detectSandbox({
    mode: config.sandbox,
    dataDir: config.dataDir,
    configuredUsers: config.agentUsers,
    views,
    limits,
  });

/** Returns a sentence: why a start here would not leave the limits of runs to the kernel; null where it would. */
export const detectLimitsUnavailableReason = groupsUnavailableReason;

/**
 * Isolates agents as far as this machine allows, and opens control groups for their runs. Fails if SERVICE_SANDBOX
 * requires more.
 */
export const isolateAgents = Effect.fnUntraced(function* (config: Config) {
  const { runLimits } = config;
  const rules = yield* Effect.try({
    try: () => openPathRules(config),
    catch: (error) => new StartFailed({ message: (error as Error).message }),
  });
  const views = programViews(rules);
  const groups = openRunGroups({ memoryBytes: config.runMaxMemoryBytes, processes: runLimits.processes });
  const limits = groups.gap === null ? { ...runLimits, processes: null } : runLimits;
  const found = yield* Effect.promise(() => detectSeparation(config, limits, views));
  const { users } = found;
  const { gap, ...reservedUsers } = yield* Effect.promise(() => reserveUsers(config, users));
  const separation = gap === null ? found.separation : withGap(found.separation, gap);
  yield* requireAll(config, separation);
  if (users !== null && process.getuid?.() === 0)
    yield* Effect.promise(() => letAgentsThrough(config.dataDir, users.gid));
  return { ...found, separation, groups, rules, views, reservedUsers };
});

/** Where the instances of a machine note which users they have reserved. */
const claimsFolder = "/var/lib/boardroom/agent-users";

/** The users that this instance has reserved from the range of the machine's instances. */
export interface ReservedUsers {
  /** null: the range is the operator's choice for this instance. */
  readonly claims: UserClaims | null;
  /** The user of adapter packages. */
  readonly packages: number | undefined;
}

const reserveUsers = async (
  config: Config,
  users: UserRange | null,
): Promise<ReservedUsers & { readonly gap: string | null }> => {
  const none = { claims: null, packages: undefined, gap: null };
  if (users === null || config.agentUsers !== null) return none;
  const claims = userClaims(claimsFolder, users, config.dataDir);
  try {
    const packages = await claims.take(`packages of ${config.dataDir}`, [users.first]);
    return packages === null
      ? { claims, packages: undefined, gap: allReserved(users) }
      : { claims, packages, gap: null };
  } catch (error) {
    return {
      ...none,
      gap: `${claimsFolder} cannot be written (${(error as NodeJS.ErrnoException).code}), so that another instance of this machine may use the same users. Make it writable, or set SERVICE_AGENT_UID to a range of this instance's own.`,
    };
  }
};

/** How often the rules of the firewall are checked: others may remove them. */
const holdMs = 10_000;

export interface ClosedNetwork {
  /** As it is at each moment. */
  readonly separation: Separation;
  /** Closes it for the programs of a process that outlives the service; null: nothing is closed. */
  readonly guard: Firewall["guard"] | null;
}

/**
 * Closes the addresses of clouds and the database's port to agents' users, for as long as the scope lasts. Fails if
 * SERVICE_SANDBOX requires more.
 */
export const closeNetwork = Effect.fnUntraced(function* (
  config: Config,
  separation: Separation,
  installation: InstallationId,
  databaseUrl: string,
  log: Log,
): Effect.fn.Return<ClosedNetwork, StartFailed, Scope.Scope> {
  const { agentUsers } = config;
  if (config.sandbox === "off") return { separation, guard: null };
  if (agentUsers === null || process.getuid?.() !== 0) {
    const open = withGap(
      separation,
      "Agents reach every port of this machine, and a cloud's metadata address.",
    );
    yield* requireAll(config, open);
    return { separation: open, guard: null };
  }
  const table = processTable();
  const rules = firewall({
    users: agentUsers,
    loopbackPorts: loopbackPorts(databaseUrl),
    installation,
    service: localProcess(table, process.pid),
    isAlive: ({ pid, startedAt }) => table.find(pid)?.startedAt === startedAt,
  });
  let gap = yield* Effect.acquireRelease(
    Effect.promise(() => rules.hold()),
    () => Effect.promise(() => rules.open()),
  );
  const now = () => (gap === null ? separation : withGap(separation, gap));
  yield* requireAll(config, now());
  const check = Effect.map(
    Effect.promise(() => rules.hold()),
    (found) => {
      if (found !== null && gap === null) log.warn(found);
      gap = found;
    },
  );
  // A check that has begun ends before the rules are removed.
  yield* Effect.forkScoped(
    Effect.repeat(Effect.delay(Effect.uninterruptible(check), holdMs), Schedule.forever),
  );
  return {
    separation: {
      get level() {
        return now().level;
      },
      get gaps() {
        return now().gaps;
      },
    },
    guard: rules.guard,
  };
});

/** SERVICE_SANDBOX=required refuses to start with a gap. */
const requireAll = ({ sandbox }: Config, { gaps }: Separation) =>
  sandbox === "required" && gaps.length > 0
    ? Effect.fail(
        new StartFailed({
          message: `SERVICE_SANDBOX is required, but this machine does not isolate agents fully. ${gaps.join(" ")}`,
        }),
      )
    : Effect.void;

const withGap = ({ level, gaps }: Separation, gap: string): Separation => ({
  level: level === "separated" ? "partly" : level,
  gaps: [...gaps, gap],
});

const loopbackPorts = (databaseUrl: string): readonly number[] =>
  readDatabaseUrl(databaseUrl).servers.flatMap(({ host, port }) =>
    ["localhost", "127.0.0.1", "::1"].includes(host) ? [port] : [],
  );
