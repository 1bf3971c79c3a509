import { stat } from "node:fs/promises";
import { join } from "node:path";
import * as Effect from "effect/Effect";
import type { CompanyId, InstallationId } from "../../core/model/shared/ids.ts";
import type { AgentUser } from "../../ports/agent-adapter.ts";
import type { UserRange } from "../../ports/sandbox.ts";
import { WorkspaceUnusable } from "../../ports/workspaces.ts";
import { ownFolder } from "./own-folder.ts";
import type { UserClaims } from "./user-claims.ts";

/** The user and environment of a company's programs. */
export interface CompanyUser {
  readonly user: AgentUser | null;
  /** HOME, where it differs from the service's. */
  readonly env: Readonly<Record<string, string>>;
}

/** The users that programs of agents run as. */
export interface AgentUsers {
  /** The user that inspects adapter packages; null: the service's user. */
  readonly packages: AgentUser | null;
  /** Returns the user and environment for packages. Fails where the service is not root. */
  ofPackages(): Effect.Effect<CompanyUser, WorkspaceUnusable>;
  /** Fails where the range is exhausted or the service is not root. */
  of(companyId: CompanyId): Effect.Effect<CompanyUser, WorkspaceUnusable>;
  /** Prepares a folder below the service's directory for that user alone. */
  folder(path: string, user: AgentUser | null): Effect.Effect<void>;
}

export const isAmong = ({ first, last }: UserRange, uid: number): boolean => uid >= first && uid <= last;

/** Programs run as the service's user. */
export const serviceUser: AgentUsers = {
  packages: null,
  ofPackages: () => Effect.succeed({ user: null, env: {} }),
  of: () => Effect.succeed({ user: null, env: {} }),
  folder: (path) => Effect.promise(() => ownFolder(path, null)),
};

/** Programs run as the service's user with a HOME per company, because agents do not see the service user's HOME. */
export const companyHomes = (homes: string): AgentUsers => ({
  packages: null,
  ofPackages: () => Effect.succeed({ user: null, env: {} }),
  of: (companyId) =>
    Effect.promise(async () => {
      const home = join(homes, companyId);
      await ownFolder(home, null);
      return { user: null, env: { HOME: home } };
    }),
  folder: (path) => Effect.promise(() => ownFolder(path, null)),
});

export interface AgentUsersOptions {
  /** Part of each claim: a copy has companies of the same ids. */
  readonly installation: InstallationId;
  readonly homes: string;
  readonly serviceHome: string | undefined;
  /** The users that this machine's instances have taken; null: the range is this instance's own. */
  readonly claims: UserClaims | null;
  /** The user of adapter packages; usually the first of the range. */
  readonly packages?: number | undefined;
}

/**
 * Uses one user for all agents, or, with a range, the first user for adapter packages and another for each company. The
 * system then isolates processes, environments and files of the companies. Agents get a HOME below `homes` where their
 * user is not the service's.
 */
export const agentUsers = (
  { first, last, gid }: UserRange,
  { installation, homes, serviceHome, claims, packages: packagesUid = first }: AgentUsersOptions,
  /** Ordinal of the company in the instance, from 1. */
  numberOf: (companyId: CompanyId) => Effect.Effect<number>,
): AgentUsers => {
  const known = new Map<CompanyId, CompanyUser>();
  const uidOf = Effect.fnUntraced(function* (companyId: CompanyId) {
    yield* requireRoot;
    if (first === last) return first;
    const number = yield* numberOf(companyId);
    const uid = first + number;
    if (claims !== null) {
      // Another host of the instance, or this one before an upgrade, has given its files to a user.
      const owner = yield* Effect.promise(() => stat(join(homes, companyId)).catch(() => null));
      const claimed = yield* Effect.promise(() =>
        claims.take(`${installation}.${companyId}`, owner === null ? [uid] : [owner.uid, uid]),
      );
      if (claimed !== null) return claimed;
      return yield* Effect.fail(new WorkspaceUnusable(allReserved({ first, last })));
    }
    if (uid <= last) return uid;
    return yield* Effect.fail(
      new WorkspaceUnusable(
        `SERVICE_AGENT_UID=${first}-${last} has users for ${last - first} companies, and this is company ${number} of the service. Widen the range and start the service again.`,
      ),
    );
  });
  const homeOf = async (companyId: CompanyId, user: AgentUser): Promise<CompanyUser["env"]> => {
    const owner = serviceHome === undefined ? null : await stat(serviceHome).catch(() => null);
    if (owner?.uid === user.uid) return {};
    const home = join(homes, companyId);
    await ownFolder(home, user);
    return { HOME: home };
  };
  const packages = { uid: packagesUid, gid };
  return {
    packages,
    ofPackages: () => Effect.as(requireRoot, { user: packages, env: {} }),
    of: Effect.fnUntraced(function* (companyId) {
      const ready = known.get(companyId);
      if (ready !== undefined) {
        const { HOME } = ready.env;
        if (HOME !== undefined) yield* Effect.promise(() => ownFolder(HOME, ready.user));
        return ready;
      }
      const user = { uid: yield* uidOf(companyId), gid };
      const found = { user, env: yield* Effect.promise(() => homeOf(companyId, user)) };
      known.set(companyId, found);
      return found;
    }),
    folder: (path, user) => Effect.promise(() => ownFolder(path, user)),
  };
};

/** Says that no user of the range is left on this machine. */
export const allReserved = ({ first, last }: Pick<UserRange, "first" | "last">): string =>
  `All users of ${first}-${last} belong to companies of this machine's instances. Set SERVICE_AGENT_UID to a range of this instance's own and start the service again.`;

const requireRoot = Effect.suspend(() =>
  process.getuid?.() === 0
    ? Effect.void
    : Effect.fail(
        new WorkspaceUnusable(
          "SERVICE_AGENT_UID is set, but the service does not run as root. Start it as root, or unset the variable.",
        ),
      ),
);
