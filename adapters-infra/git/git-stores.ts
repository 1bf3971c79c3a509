import * as Effect from "effect/Effect";
import type { AgentUser } from "../../ports/agent-adapter.ts";
import { type CodeStores, HostUnusable, StoreFailed, type StoreOf } from "../../ports/code-stores.ts";
import type { Sandbox } from "../../ports/sandbox.ts";
import { changesIn, fileIn, patchIn } from "./changes.ts";
import { exchangeWith } from "./exchange.ts";
import { beginAtHost, fetchFromHost, headAtHost, pushToHost } from "./host-calls.ts";
import { integrateIn, tryMergeIn } from "./integrate.ts";
import { pushCheck } from "./push-check.ts";
import { rawLfsFilesIn } from "./raw-lfs-files.ts";
import { Git, namesLock } from "./run-git.ts";
import { showsInTurn } from "./shows-in-turn.ts";
import { type StoreFolder, StoreLocks, storeFolder, type TakeLock } from "./store-folder.ts";
import {
  capturedRefsOf,
  commitsSinceIn,
  fullId,
  headOf,
  isAncestorIn,
  isWholePack,
  mergeBaseIn,
  packOfRun,
  publishIn,
  unpackRun,
} from "./store-refs.ts";
import {
  isMade,
  maintainStores,
  makeRoot,
  makeStores,
  type OwnFolder,
  removeStores,
  repairStores,
  sizesOf,
} from "./store-upkeep.ts";

export interface GitStoresOptions {
  /** Below the data directory; the service's own. */
  readonly folder: string;
  readonly git: string;
  readonly sandbox: Sandbox;
  /** null: git runs as the service's own user. */
  readonly user: AgentUser | null;
  readonly takeLock: TakeLock;
  readonly ownFolder: OwnFolder;
}

/** A fetch in progress, or the last one. */
interface Fetched {
  readonly url: string;
  readonly done: Promise<void>;
  /** Milliseconds of `performance.now()`; null: in progress. */
  at: number | null;
}

const defaultMaxAgeSec = 30;

/** Finds the stores below a folder, and lets one change of a repository wait for another. */
const storesBelow = ({ folder: repositories, user, ownFolder, ...options }: GitStoresOptions, git: Git) => {
  const locks = new StoreLocks(options.takeLock);
  const folderOf = (of: StoreOf) => storeFolder(repositories, of);
  return {
    folderOf,
    /** Within the lock, with both stores. */
    locked: async <A>(of: StoreOf, work: (folder: StoreFolder) => Promise<A>): Promise<A> => {
      const folder = folderOf(of);
      await makeRoot(folder);
      return locks.within(folder, async () => {
        await makeStores(git, folder, user, ownFolder);
        return work(folder).catch(async (error: unknown) => {
          if (!(error instanceof StoreFailed) || !namesLock(error.message)) throw error;
          // Nobody else has the lock: who left that file was killed.
          await repairStores(git, folder);
          return work(folder);
        });
      });
    },
    made: (of: StoreOf): StoreFolder => {
      const folder = folderOf(of);
      if (!isMade(folder)) throw new StoreFailed("The repository has not been fetched yet.");
      return folder;
    },
  };
};

/** Stores on this machine's disk, in git's own format. */
export const gitStores = (options: GitStoresOptions): CodeStores => {
  const git = new Git(options);
  const { folderOf, locked, made } = storesBelow(options, git);
  const fetches = new Fetches();
  let checks: Promise<string> | undefined;

  const sequentially = showsInTurn();
  const show = <A>(of: StoreOf, work: (folder: StoreFolder) => Promise<A>) =>
    sequentially(
      of.companyId,
      attempt(async () => work(made(of))),
    );

  const ifMade = (of: StoreOf, work: (folder: StoreFolder) => Promise<void>) =>
    attempt(async () => {
      if (isMade(folderOf(of))) await locked(of, work);
    });

  const fetch: CodeStores["fetch"] = (host, { maxAgeSec = defaultMaxAgeSec } = {}) =>
    hostAttempt(() =>
      fetches.share(folderOf(host), { url: host.url, maxAgeSec }, () =>
        locked(host, (folder) => fetchFromHost(git, folder, host, () => repairStores(git, folder))),
      ),
    );

  return {
    unavailableReason: null,
    probe: (host, branch) => callOf(() => headAtHost(git, host, branch)),
    begin: (host, first) => callOf(() => beginAtHost(git, host, first)),
    fetch,
    sharedObjects: (of) => `${folderOf(of).shared}/objects`,
    head: (of, branch) =>
      attempt(async () => {
        const folder = folderOf(of);
        return isMade(folder) ? headOf(git, folder, branch) : null;
      }),
    exchange: (of, exchange) =>
      Effect.promise(async () => {
        checks ??= pushCheck(options.folder);
        const folder = folderOf(of);
        if (!isMade(folder)) await locked(of, async () => {});
        return exchangeWith(git, folder, await checks, exchange);
      }),
    capturedRefs: (of, runId) => attempt(() => capturedRefsOf(git, made(of), runId)),
    packOf: (of, runId) => attempt(() => packOfRun(git, made(of), runId)),
    isWholePack: (pack) =>
      // A file that is no pack at all is no whole one.
      attempt(() => isWholePack(pack)).pipe(Effect.orElseSucceed(() => false)),
    unpack: (of, runId, pack) => attempt(() => unpackRun(git, made(of), runId, pack)),
    publish: (of, branch, commit, base) =>
      attempt(() => locked(of, (folder) => publishIn(git, folder, branch, { commit, base }))),
    isAncestor: (of, earlier, later) => attempt(() => isAncestorIn(git, made(of), earlier, later)),
    commitsSince: (of, onto, from) => attempt(() => commitsSinceIn(git, made(of), onto, from)),
    mergeBase: (of, from, others) => attempt(() => mergeBaseIn(git, made(of), from, others)),
    changes: (of, between, limits) => show(of, (folder) => changesIn(git, folder, between, limits)),
    patch: (of, between, what) => show(of, (folder) => patchIn(git, folder, between, what)),
    file: (of, commit, path, bytes) => show(of, (folder) => fileIn(git, folder, commit, path, bytes)),
    rawLfsFiles: (of, between, most) => attempt(() => rawLfsFilesIn(git, made(of), between, most)),
    tryMerge: (of, what) => show(of, (folder) => tryMergeIn(git, folder, what)),
    integrate: (of, what) => attempt(() => locked(of, (folder) => integrateIn(git, folder, what))),
    push: (host, what) =>
      hostAttempt(async () => {
        const folder = made(host);
        await requireDescent(git, folder, what);
        const outcome = await pushToHost(git, folder, host, what);
        // The store is behind the host now, or was before.
        fetches.forget(folder);
        return outcome;
      }),
    sizes: (of) => attempt(() => sizesOf(git, folderOf(of))),
    repair: (of) => ifMade(of, (folder) => repairStores(git, folder)),
    maintain: (of) => ifMade(of, (folder) => maintainStores(git, folder)),
    remove: (of) => Effect.promise(() => locked(of, removeStores)),
  };
};

const requireDescent = async (
  git: Git,
  folder: StoreFolder,
  { commit, expected, mayRewrite = false }: Parameters<CodeStores["push"]>[1],
): Promise<void> => {
  if (expected !== null && !mayRewrite && !(await isAncestorIn(git, folder, expected, fullId(commit))))
    throw new StoreFailed("The commit does not descend from the branch of the host.");
};

/** Fetches that callers share: one in progress, and one that is young enough. */
class Fetches {
  readonly #last = new Map<string, Fetched>();

  share(
    folder: StoreFolder,
    { url, maxAgeSec }: { readonly url: string; readonly maxAgeSec: number },
    fetch: () => Promise<void>,
  ): Promise<void> {
    const { root } = folder;
    const last = this.#last.get(root);
    const isFresh =
      last !== undefined &&
      last.url === url &&
      // Stores that were lost meanwhile are fetched again.
      (last.at === null || (performance.now() - last.at < maxAgeSec * 1_000 && isMade(folder)));
    if (isFresh) return last.done;
    const fetched: Fetched = {
      url,
      at: null,
      done: fetch().then(
        () => {
          fetched.at = performance.now();
        },
        (error: unknown) => {
          if (this.#last.get(root) === fetched) this.#last.delete(root);
          throw error;
        },
      ),
    };
    this.#last.set(root, fetched);
    return fetched.done;
  }

  /** The next one asks the host. */
  forget({ root }: StoreFolder): void {
    this.#last.delete(root);
  }
}

/** The stores of a service that cannot hold any. */
export const noStores = (unavailableReason: string): CodeStores => {
  const failed = Effect.fail(new StoreFailed(unavailableReason));
  return {
    unavailableReason,
    probe: () => Effect.fail(new HostUnusable("unreachable", unavailableReason)),
    begin: () => Effect.fail(new HostUnusable("unreachable", unavailableReason)),
    fetch: () => failed,
    sharedObjects: () => {
      throw new Error(unavailableReason);
    },
    head: () => failed,
    exchange: () =>
      Effect.succeed({
        status: 503,
        contentType: "text/plain; charset=utf-8",
        body: `${unavailableReason}\n`,
      }),
    capturedRefs: () => failed,
    packOf: () => failed,
    isWholePack: () => Effect.succeed(false),
    unpack: () => failed,
    publish: () => failed,
    isAncestor: () => failed,
    commitsSince: () => failed,
    mergeBase: () => failed,
    changes: () => failed,
    patch: () => failed,
    file: () => failed,
    rawLfsFiles: () => failed,
    tryMerge: () => failed,
    integrate: () => failed,
    push: () => failed,
    sizes: () => failed,
    repair: () => Effect.void,
    maintain: () => Effect.void,
    remove: () => Effect.void,
  };
};

const attempt = <A>(work: () => Promise<A>): Effect.Effect<A, StoreFailed> =>
  Effect.tryPromise({ try: work, catch: (error) => error }).pipe(
    Effect.catch((error) => (error instanceof StoreFailed ? Effect.fail(error) : Effect.die(error))),
  );

/** A call of the host that needs no store. */
const callOf = <A>(work: () => Promise<A>): Effect.Effect<A, HostUnusable> =>
  Effect.tryPromise({ try: work, catch: (error) => error }).pipe(
    Effect.catch((error) => (error instanceof HostUnusable ? Effect.fail(error) : Effect.die(error))),
  );

const hostAttempt = <A>(work: () => Promise<A>): Effect.Effect<A, HostUnusable | StoreFailed> =>
  Effect.tryPromise({ try: work, catch: (error) => error }).pipe(
    Effect.catch((error) =>
      error instanceof StoreFailed || error instanceof HostUnusable ? Effect.fail(error) : Effect.die(error),
    ),
  );
