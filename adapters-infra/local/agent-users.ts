import { chown, lchown, lstat, mkdir, opendir, stat } from "node:fs/promises";
import { join } from "node:path";
import * as Effect from "effect/Effect";
import type { CompanyId } from "../../core/shared/ids.ts";
import type { AgentUser } from "../../ports/agent-adapter.ts";
import type { UserRange } from "../../ports/sandbox.ts";
import { WorkspaceUnusable } from "../../ports/workspaces.ts";

/** What a company's programs are started with. */
export interface CompanyUser {
  readonly user: AgentUser | null;
  /** HOME, where it is not the service's. */
  readonly env: Readonly<Record<string, string>>;
}

/** Whom programs run as that are not the service's own. */
export interface AgentUsers {
  /** Whom adapter packages are looked at as, on behalf of no company; null: the service's user. */
  readonly packages: AgentUser | null;
  /** The same, to be started with. Fails where the service is not root. */
  ofPackages(): Effect.Effect<CompanyUser, WorkspaceUnusable>;
  /** Fails where the range is used up, and where the service is not root. */
  of(companyId: CompanyId): Effect.Effect<CompanyUser, WorkspaceUnusable>;
  /** A folder of the service's own for that user alone, made where it is missing. */
  folder(path: string, user: AgentUser | null): Effect.Effect<void>;
}

export const isAmong = ({ first, last }: UserRange, uid: number): boolean => uid >= first && uid <= last;

/** As the service itself. */
export const serviceUser: AgentUsers = {
  packages: null,
  ofPackages: () => Effect.succeed({ user: null, env: {} }),
  of: () => Effect.succeed({ user: null, env: {} }),
  folder: (path) => Effect.promise(() => ownFolder(path, null)),
};

/** As the service itself, with a HOME for each company: the service user's own is not shown to agents. */
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

/**
 * One user for all agents, or of a range the first for adapter packages and one of the others for each company: the
 * system then keeps companies from each other's processes, environments and files. Agents have a HOME below `homes`
 * where the service's is not their user's.
 */
export const agentUsers = (
  { first, last, gid }: UserRange,
  { homes, serviceHome }: { readonly homes: string; readonly serviceHome: string | undefined },
  /** Which company of the instance it is, from 1. */
  numberOf: (companyId: CompanyId) => Effect.Effect<number>,
): AgentUsers => {
  const known = new Map<CompanyId, CompanyUser>();
  const uidOf = Effect.fnUntraced(function* (companyId: CompanyId) {
    yield* requireRoot;
    if (first === last) return first;
    const number = yield* numberOf(companyId);
    const uid = first + number;
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
  return {
    packages: { uid: first, gid },
    ofPackages: () => Effect.as(requireRoot, { user: { uid: first, gid }, env: {} }),
    of: Effect.fnUntraced(function* (companyId) {
      const ready = known.get(companyId);
      if (ready !== undefined) return ready;
      const user = { uid: yield* uidOf(companyId), gid };
      const found = { user, env: yield* Effect.promise(() => homeOf(companyId, user)) };
      known.set(companyId, found);
      return found;
    }),
    folder: (path, user) => Effect.promise(() => ownFolder(path, user)),
  };
};

const requireRoot = Effect.suspend(() =>
  process.getuid?.() === 0
    ? Effect.void
    : Effect.fail(
        new WorkspaceUnusable(
          "SERVICE_AGENT_UID is set, but the service does not run as root. Start it as root, or unset the variable.",
        ),
      ),
);

const ownFolder = async (path: string, user: AgentUser | null): Promise<void> => {
  await mkdir(path, { recursive: true, mode: 0o700 });
  if (user === null) return;
  const { uid: owner } = await lstat(path);
  if (owner === user.uid) return;
  // Agents ran as another user before, or as the service. What that user could not write is not given away, and no
  // file that has another name elsewhere: links may lead to it.
  for await (const entry of await opendir(path, { recursive: true })) {
    const inside = join(entry.parentPath, entry.name);
    const found = await lstat(inside);
    if (found.uid === owner && (found.isDirectory() || found.nlink === 1))
      await lchown(inside, user.uid, user.gid);
  }
  await chown(path, user.uid, user.gid);
};
