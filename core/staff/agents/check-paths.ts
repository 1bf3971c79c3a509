import * as Effect from "effect/Effect";
import type { PathClass } from "../../../ports/host-paths.ts";
import type { Runners } from "../../../ports/runners.ts";
import type { Stores } from "../../../ports/transactor.ts";
import { type Actor, actingUser } from "../../model/access/caller.ts";
import { type AdapterConfig, type RuntimeConfig, runnerOf } from "../../model/agents/agent-config.ts";
import {
  type GrantedPath,
  type HostPath,
  type NamedPath,
  namedPaths,
  PathNotAllowed,
} from "../../model/agents/named-paths.ts";
import type { AgentId, CompanyId } from "../../model/shared/ids.ts";

export interface PathCheck {
  readonly companyId: CompanyId;
  /** null: no agent, but a test. */
  readonly agentId: AgentId | null;
  readonly runtimeConfig: RuntimeConfig;
  /** The part that the caller sets now: an instance admin grants the paths in it. */
  readonly given: AdapterConfig;
  /** The whole configuration. */
  readonly after: AdapterConfig;
  /** The present configuration, which is not judged again; null: all of `after` is judged. */
  readonly before: AdapterConfig | null;
  /** The existing grants. */
  readonly granted: readonly GrantedPath[];
  readonly by: Actor;
}

/**
 * Returns the grants of a configuration, and refuses one that names a path of the service's machine which its author
 * may not show to agents. On a runner elsewhere paths are those of a pod or container, and nothing is granted.
 */
export const checkPaths = Effect.fnUntraced(function* (
  stores: Stores,
  runners: Runners,
  { companyId, agentId, runtimeConfig, given, after, before, granted, by }: PathCheck,
) {
  const named = namedPaths(after);
  if (named.length === 0) return [];
  const { runner: companyRunner } = yield* Effect.orDie(stores.companies.status(companyId));
  const hostPaths = runners.get(runnerOf({ runtimeConfig, companyRunner }, runners.default))?.paths;
  if (hostPaths === undefined) return granted;
  const owner = { companyId, agentId };
  // Sets, because a configuration may name two thousand paths.
  const coveringGrants = ({ path, access }: NamedPath) => {
    const normal = hostPaths.normal(path, owner);
    return access === "read" ? [`read ${normal}`, `write ${normal}`] : [`write ${normal}`];
  };
  const needed = new Set(named.flatMap(coveringGrants));
  const remaining = granted.filter((grant) => needed.has(keyOf(grant)));
  const set = new Set(namedPaths(given).map(keyOf));
  const present = new Set(before === null ? [] : namedPaths(before).map(keyOf));
  const open = named
    .filter((path) => set.has(keyOf(path)) || !present.has(keyOf(path)))
    .map((path) => ({ ...path, pathClass: hostPaths.classify(path.path, owner) }))
    .filter((path) => !isSeen(path, path.pathClass));
  if (open.length === 0) return remaining;
  const isAdmin = yield* actsAsAdmin(stores, by);
  const grants = new Map(remaining.map((grant) => [keyOf(grant), grant]));
  for (const path of open) {
    const covering = coveringGrants(path);
    // Of the paths that are judged again, an admin grants only those in the change.
    const mayGrant = isAdmin && (before !== null || set.has(keyOf(path)));
    const found = mayGrant ? yield* hostPaths.resolve(path.path, owner) : null;
    const pathClass = found === null ? path.pathClass : hostPaths.classify(found.real, owner);
    if (found !== null && pathClass.kind !== "never") {
      const grant = { ...found, access: path.access };
      for (const key of covering) grants.delete(key);
      grants.set(keyOf(grant), grant);
    } else if (!covering.some((key) => grants.has(key)) && isHarm(path, pathClass))
      return yield* Effect.fail(refused(path, pathClass, isAdmin));
  }
  return [...grants.values()];
});

/** A path that is only read needs a grant for a folder that is to be written. */
const isSeen = ({ access }: NamedPath, pathClass: PathClass): boolean =>
  pathClass.kind === "seen" && (access === "read" || pathClass.access === "write" || pathClass.isRoot);

/** A text that may not be a path, or a path in a private folder of programs, exposes nothing. */
const isHarm = ({ at: [key], isNeeded }: NamedPath, pathClass: PathClass): boolean =>
  isNeeded && !((key === "args" || key === "extraArgs") && pathClass.kind !== "seen" && pathClass.isPrivate);

const keyOf = ({ path, access }: HostPath): string => `${access} ${path}`;

const refused = ({ at, path }: NamedPath, pathClass: PathClass, isAdmin: boolean): PathNotAllowed => {
  const field = ["adapterConfig", ...at];
  if (pathClass.kind === "never")
    return new PathNotAllowed(
      { path: field },
      `${field.join(".")} names ${path}, which agents aren't allowed to see: it ${pathClass.why}.`,
    );
  return new PathNotAllowed(
    { path: field },
    isAdmin
      ? `${field.join(".")} names ${path}, which the agent can't see on this machine yet. Set it in the same change that moves the agent here.`
      : `${field.join(".")} names ${path}. Only instance admins can give an agent access to it; others can use the paths in SERVICE_AGENT_PATHS.`,
  );
};

/** Whether the author of a configuration is an instance admin at this moment. */
const actsAsAdmin = Effect.fnUntraced(function* (stores: Stores, author: Actor) {
  const userId = actingUser(author);
  const person = userId === null ? null : yield* stores.access.findPerson(userId);
  return person?.admin === true && person.disabledAt === null;
});
