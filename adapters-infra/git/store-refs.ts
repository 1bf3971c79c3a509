import { createHash } from "node:crypto";
import { refsOfRun } from "../../core/model/repositories/repository.ts";
import { type CapturedRefs, type Commit, StoreFailed } from "../../ports/code-stores.ts";
import type { Git } from "./run-git.ts";
import { reading, type StoreFolder, writingCaptured, writingShared } from "./store-folder.ts";

const id = /^[0-9a-f]{40}$/;

/** @throws StoreFailed */
export const fullId = (commit: Commit): Commit => {
  if (!id.test(commit)) throw new StoreFailed("A commit is named by its full id.");
  return commit;
};

/** A ref with what it points to. */
type Ref = readonly [ref: string, commit: Commit];

/** @throws StoreFailed */
const refsBelow = async (git: Git, folder: StoreFolder, gitDir: string, prefixes: readonly string[]) => {
  const output = await git.expect({
    args: ["--git-dir", gitDir, "for-each-ref", "--format=%(objectname) %(refname)", ...prefixes],
    folders: reading(folder),
  });
  return output
    .toString()
    .split("\n")
    .filter((line) => line !== "")
    .map((line): Ref => [line.slice(41), line.slice(0, 40)]);
};

export const headOf = async (git: Git, folder: StoreFolder, branch: string): Promise<Commit | null> => {
  const ref = `refs/heads/${branch}`;
  const found = await refsBelow(git, folder, folder.shared, [ref]);
  return found.find(([name]) => name === ref)?.[1] ?? null;
};

export const capturedRefsOf = async (git: Git, folder: StoreFolder, runId: string): Promise<CapturedRefs> =>
  asCaptured(runId, await refsBelow(git, folder, folder.captured, [refsOfRun(runId)]));

const asCaptured = (runId: string, refs: readonly Ref[]): CapturedRefs => {
  const prefix = refsOfRun(runId);
  const one = (name: string) => refs.find(([ref]) => ref === `${prefix}${name}`)?.[1] ?? null;
  const heads = `${prefix}heads/`;
  return {
    tree: one("tree"),
    head: one("head"),
    stash: one("stash"),
    heads: refs
      .filter(([ref]) => ref.startsWith(heads))
      .map(([ref, commit]) => ({ name: ref.slice(heads.length), commit })),
  };
};

/** Answers a question that git answers by its exit code. */
const asks = async (git: Git, folder: StoreFolder, args: readonly string[]): Promise<boolean> => {
  const outcome = await git.run({ args: ["--git-dir", folder.captured, ...args], folders: reading(folder) });
  if (outcome.exitCode === 0) return true;
  if (outcome.exitCode === 1) return false;
  throw new StoreFailed("The repository has no such commit.");
};

export const isAncestorIn = (git: Git, folder: StoreFolder, earlier: Commit, later: Commit) =>
  asks(git, folder, ["merge-base", "--is-ancestor", fullId(earlier), fullId(later)]);

export const mergeBaseIn = async (
  git: Git,
  folder: StoreFolder,
  from: Commit,
  others: readonly Commit[],
): Promise<Commit | null> => {
  const outcome = await git.run({
    args: ["--git-dir", folder.captured, "merge-base", fullId(from), ...others.map(fullId)],
    folders: reading(folder),
  });
  if (outcome.exitCode === 1) return null;
  if (outcome.exitCode !== 0) throw new StoreFailed("The repository has no such commit.");
  return outcome.stdout.toString().trim();
};

/** @throws StoreFailed */
export const commitsSinceIn = async (
  git: Git,
  folder: StoreFolder,
  onto: Commit,
  from: Commit,
): Promise<readonly Commit[]> => {
  const listed = await git.expect({
    args: ["--git-dir", folder.captured, "rev-list", "--max-count=10000", fullId(from), `^${fullId(onto)}`],
    folders: reading(folder),
  });
  return listed
    .toString()
    .split("\n")
    .filter((line) => line !== "");
};

/**
 * Copies a captured commit, with all that it needs, into the shared store, as a branch or without a ref. The caller has the
 * lock.
 * @throws StoreFailed
 */
export const copyToShared = async (
  git: Git,
  folder: StoreFolder,
  commit: Commit,
  branch: string | null,
): Promise<void> => {
  const to = branch === null ? "" : `:refs/heads/${branch}`;
  await git.expect({
    args: [
      "--git-dir",
      folder.shared,
      "fetch",
      "--quiet",
      "--no-tags",
      "--no-write-fetch-head",
      "--no-auto-maintenance",
      "--end-of-options",
      folder.captured,
      `+${fullId(commit)}${to}`,
    ],
    folders: writingShared(folder),
    settings: [
      ["protocol.file.allow", "always"],
      ["uploadpack.allowAnySHA1InWant", "true"],
    ],
    limitSec: 300,
    memoryBytes: 2 * 2 ** 30,
  });
};

/** Returns false, and changes nothing, where the commit does not descend from `base`. The caller has the lock. */
export const publishIn = async (
  git: Git,
  folder: StoreFolder,
  branch: string,
  { commit, base }: { readonly commit: Commit; readonly base: Commit },
): Promise<boolean> => {
  if (!(await isAncestorIn(git, folder, base, commit))) return false;
  await copyToShared(git, folder, commit, branch);
  return true;
};

/** The first line of a run's pack. */
interface PackHead {
  readonly refs: Readonly<Record<string, Commit>>;
  /** Commits of the host's branches that it builds on. */
  readonly without: readonly Commit[];
}

/** @throws StoreFailed */
export const packOfRun = async (
  git: Git,
  folder: StoreFolder,
  runId: string,
): Promise<AsyncIterable<Uint8Array>> => {
  const refs = await refsBelow(git, folder, folder.captured, [refsOfRun(runId)]);
  if (refs.length === 0) throw new StoreFailed("The run has left nothing in the repository.");
  // Published branches of issues are in no host: a pack of another service may not build on them.
  const hosts = (await refsBelow(git, folder, folder.shared, ["refs/heads/", "refs/tags/"])).filter(
    ([ref]) => !ref.startsWith("refs/heads/boardroom/"),
  );
  const wanted = [...new Set(refs.map(([, commit]) => commit))];
  const list = await git.expect({
    args: ["--git-dir", folder.captured, "rev-list", "--boundary", "--stdin"],
    input: [...wanted, ...hosts.map(([, commit]) => `^${commit}`), ""].join("\n"),
    folders: reading(folder),
    outputBytes: 64 * 2 ** 20,
  });
  const boundary = list
    .toString()
    .split("\n")
    .flatMap((line) => (line.startsWith("-") ? [line.slice(1)] : []));
  // A head that a branch of the host has already is no boundary, and is needed as well.
  const listed = new Set(list.toString().split("\n"));
  const without = [...new Set([...boundary, ...wanted.filter((commit) => !listed.has(commit))])];
  const head: PackHead = { refs: Object.fromEntries(refs), without };
  const { output, outcome } = git.stream({
    args: [
      "--git-dir",
      folder.captured,
      "pack-objects",
      "--quiet",
      "--stdout",
      "--revs",
      "--thin",
      "--delta-base-offset",
    ],
    input: [...wanted, ...without.map((commit) => `^${commit}`), ""].join("\n"),
    folders: reading(folder),
    limitSec: 600,
    memoryBytes: 2 * 2 ** 30,
  });
  return (async function* () {
    yield Buffer.from(`${JSON.stringify(head)}\n`);
    yield* output;
    const { exitCode } = await outcome;
    if (exitCode !== 0) throw new StoreFailed("The work of the run could not be packed.");
  })();
};

const headLimitBytes = 1_048_576;

/** Splits the first line from the pack. @throws StoreFailed */
const readHead = async (source: AsyncIterable<Uint8Array>) => {
  const chunks = source[Symbol.asyncIterator]();
  let read = Buffer.alloc(0);
  for (;;) {
    const end = read.indexOf(10);
    if (end >= 0) {
      const head = JSON.parse(read.toString("utf8", 0, end)) as PackHead;
      const rest = read.subarray(end + 1);
      return {
        head,
        pack: (async function* () {
          yield rest;
          for (let next = await chunks.next(); next.done !== true; next = await chunks.next())
            yield next.value;
        })(),
      };
    }
    const next = await chunks.next();
    if (next.done === true || read.length > headLimitBytes)
      throw new StoreFailed("That is no pack of a run.");
    read = Buffer.concat([read, next.value]);
  }
};

const sha1Bytes = 20;

/** The last bytes of a pack are the SHA-1 of all before them. */
export const isWholePack = async (source: AsyncIterable<Uint8Array>): Promise<boolean> => {
  const { pack } = await readHead(source);
  const hash = createHash("sha1");
  let last = Buffer.alloc(0);
  for await (const chunk of pack) {
    const read = Buffer.concat([last, chunk]);
    const end = Math.max(0, read.length - sha1Bytes);
    hash.update(read.subarray(0, end));
    last = read.subarray(end);
  }
  return last.length === sha1Bytes && hash.digest().equals(last);
};

/** @throws StoreFailed */
export const unpackRun = async (
  git: Git,
  folder: StoreFolder,
  runId: string,
  source: AsyncIterable<Uint8Array>,
): Promise<CapturedRefs> => {
  const { head, pack } = await readHead(source);
  const refs = Object.entries(head.refs);
  const prefix = refsOfRun(runId);
  if (refs.some(([ref, commit]) => !ref.startsWith(prefix) || !id.test(commit)))
    throw new StoreFailed("The pack is of another run.");
  const captured = (args: readonly string[], input: string | AsyncIterable<Uint8Array>) =>
    git.expect({
      args: ["--git-dir", folder.captured, ...args],
      input,
      folders: writingCaptured(folder),
      limitSec: 600,
      memoryBytes: 2 * 2 ** 30,
    });
  const missing = await captured(["cat-file", "--batch-check"], `${head.without.map(fullId).join("\n")}\n`);
  if (/ missing$/m.test(missing.toString()))
    throw new StoreFailed("The host's repository has lost a commit that the work builds on.");
  await captured(["index-pack", "--stdin", "--fix-thin", "--strict"], pack);
  const tips = refs.map(([, commit]) => commit);
  await captured(
    ["rev-list", "--quiet", "--objects", "--stdin"],
    [...tips, ...head.without.map((commit) => `^${commit}`), ""].join("\n"),
  );
  await captured(
    ["update-ref", "--stdin"],
    refs.map(([ref, commit]) => `update ${ref} ${commit}\n`).join(""),
  );
  return asCaptured(runId, refs);
};
