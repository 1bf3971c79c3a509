import type { RawLfsFiles } from "../../core/model/repositories/merge.ts";
import type { Between } from "../../ports/code-stores.ts";
import { StoreFailed } from "../../ports/code-stores.ts";
import { type Git, type GitCall, whyFailed } from "./run-git.ts";
import { reading, type StoreFolder } from "./store-folder.ts";
import { fullId } from "./store-refs.ts";

/** The files that differ are listed to this size, about 50,000 of them. */
const listedBytes = 8 * 2 ** 20;
/** Files in Git LFS whose content is looked at. */
const checkedMost = 10_000;
const limitSec = 30;

/** Git LFS reads no longer file as a pointer. */
const pointerMaxBytes = 1_023;
const pointer = /^version https:\/\/(git-lfs\.github\.com|hawser\.github\.com)\/spec\/v1\n/;

const changed = /^:\d{6} 100(?:644|755) [0-9a-f]+ ([0-9a-f]+) [A-Z]\d*$/;

interface File {
  /** A byte a character: names of files are bytes. */
  readonly path: string;
  readonly blob: string;
}

/** Reads `diff-tree -r -z`. A last part that is cut off is left out. */
const readChanged = (text: string) => {
  const parts = text.split("\0").slice(0, -1);
  const files: File[] = [];
  let changesAttributes = false;
  for (let at = 0; at + 1 < parts.length; at += 2) {
    const path = parts[at + 1]!;
    changesAttributes ||= /(?:^|\/)\.gitattributes$/.test(path);
    const [, blob] = changed.exec(parts[at]!) ?? [];
    if (blob !== undefined) files.push({ path, blob });
  }
  return { files, changesAttributes };
};

/** Reads `ls-tree -r -z`. */
const readFiles = (text: string): readonly File[] =>
  text.split("\0").flatMap((line) => {
    const [, blob, path] = /^100(?:644|755) blob ([0-9a-f]+)\t(.+)$/s.exec(line) ?? [];
    return blob === undefined || path === undefined ? [] : [{ path, blob }];
  });

/**
 * Prints the attribute `filter` of the paths on its input, as `.gitattributes` in the commit `$2` give it. Git of Debian 12
 * reads them from an index only; this one has nothing else.
 */
const attributes = `
set -eu
index=$(mktemp -d)
trap 'rm -rf "$index"' EXIT
export LC_ALL=C GIT_DIR="$1" GIT_INDEX_FILE="$index/index"
git ls-tree -r -z --full-tree "$2" | { grep -z -a "[/$(printf '\\t')]\\.gitattributes$" || :; } | git update-index -z --index-info
git check-attr --cached -z --stdin filter
`;

const pathsInLfs = (output: string): ReadonlySet<string> => {
  const parts = output.split("\0");
  const paths = new Set<string>();
  for (let at = 0; at + 2 < parts.length; at += 3) if (parts[at + 2] === "lfs") paths.add(parts[at]!);
  return paths;
};

const bytesOf = async function* (text: string) {
  yield Buffer.from(text, "latin1");
};

/** The blobs that are no pointers. Git LFS leaves an empty file as it is. */
const rawOf = (sizes: string, contents: Buffer): ReadonlySet<string> => {
  const raw = new Set<string>();
  for (const line of sizes.split("\n")) {
    const [blob = "", , size] = line.split(" ");
    if (Number(size) > pointerMaxBytes) raw.add(blob);
  }
  for (let at = 0; at < contents.length; ) {
    const end = contents.indexOf("\n", at);
    if (end < 0) break;
    const [blob = "", , size] = contents.toString("latin1", at, end).split(" ");
    const after = end + 1 + Number(size);
    const content = contents.toString("latin1", end + 1, after);
    if (content !== "" && !pointer.test(content)) raw.add(blob);
    at = after + 1;
  }
  return raw;
};

/** The paths among them that `.gitattributes` of the commit give to Git LFS. */
const inLfsAt = async (ask: Ask, folder: StoreFolder, commit: string, files: readonly File[]) => {
  const output = await ask({
    program: "/bin/sh",
    args: ["-c", attributes, "sh", folder.shared, fullId(commit)],
    input: bytesOf(files.map(({ path }) => `${path}\0`).join("")),
    outputBytes: 2 * listedBytes,
  });
  return pathsInLfs(output.toString("latin1"));
};

/** The files that did not change themselves, and that a change of `.gitattributes` gives to Git LFS. */
const givenLater = async (ask: Ask, folder: StoreFolder, { base, head }: Between, files: readonly File[]) => {
  const sharedDir = ["--git-dir", folder.shared];
  const listed = await ask({
    args: [...sharedDir, "ls-tree", "-r", "-z", "--full-tree", fullId(head)],
    outputBytes: listedBytes,
  });
  const changedPaths = new Set(files.map(({ path }) => path));
  const others = readFiles(listed.toString("latin1")).filter(({ path }) => !changedPaths.has(path));
  if (others.length === 0) return [];
  const before = await inLfsAt(ask, folder, base, others);
  const after = await inLfsAt(ask, folder, head, others);
  return others.filter(({ path }) => after.has(path) && !before.has(path));
};

type Ask = (call: Omit<GitCall, "folders">) => Promise<Buffer>;

/** @throws StoreFailed */
export const rawLfsFilesIn = async (
  git: Git,
  folder: StoreFolder,
  { base, head }: Between,
  most: number,
): Promise<RawLfsFiles> => {
  const inShared = (call: Omit<GitCall, "folders">) =>
    git.run({ ...call, folders: reading(folder), limitSec });
  const sharedDir = ["--git-dir", folder.shared];
  const listed = await inShared({
    args: [
      ...[...sharedDir, "diff-tree", "-r", "-z", "--raw", "--no-abbrev", "--no-renames"],
      ...["--diff-filter=AMTD", "--end-of-options", fullId(base), fullId(head)],
    ],
    outputBytes: listedBytes,
  });
  if (listed.exitCode !== 0 && listed.ended !== "output") throw new StoreFailed(whyFailed(listed));
  const { files, changesAttributes } = readChanged(listed.stdout.toString("latin1"));
  const isCut = listed.ended !== null;
  const expect: Ask = async (call) => {
    const outcome = await inShared(call);
    if (outcome.exitCode !== 0) throw new StoreFailed(whyFailed(outcome));
    return outcome.stdout;
  };
  const inLfs = files.length === 0 ? new Set() : await inLfsAt(expect, folder, head, files);
  const all = [
    ...files.filter(({ path }) => inLfs.has(path)),
    ...(changesAttributes ? await givenLater(expect, folder, { base, head }, files) : []),
  ];
  const looked = all.slice(0, checkedMost);
  const blobs = [...new Set(looked.map(({ blob }) => blob))];
  if (blobs.length === 0) return { files: [], count: 0, isCut };
  const ids = (of: readonly string[]) => bytesOf(of.map((blob) => `${blob}\n`).join(""));
  const sizes = (
    await expect({ args: [...sharedDir, "cat-file", "--batch-check"], input: ids(blobs) })
  ).toString("latin1");
  const large = rawOf(sizes, Buffer.alloc(0));
  const small = blobs.filter((blob) => !large.has(blob));
  const contents = await expect({ args: [...sharedDir, "cat-file", "--batch"], input: ids(small) });
  const raw = rawOf(sizes, contents);
  const found = looked.filter(({ blob }) => raw.has(blob));
  return {
    files: found.slice(0, most).map(({ path }) => Buffer.from(path, "latin1").toString()),
    count: found.length,
    isCut: isCut || looked.length < all.length,
  };
};
