import type { Between, ChangedCommit, ChangedFile, Changes, Commit } from "../../ports/code-stores.ts";
import { StoreFailed } from "../../ports/code-stores.ts";
import { type Git, type GitOutcome, whyFailed } from "./run-git.ts";
import { reading, type StoreFolder } from "./store-folder.ts";
import { fullId } from "./store-refs.ts";

/** To find renames, git reads every pair of a deleted and an added file. It skips that where there are more pairs than this number squared. */
const renamesMost = 200;
const plain = ["--no-ext-diff", "--no-textconv", "--no-color", "-M", `-l${renamesMost}`];
const commitsMost = 500;
const messageMost = 10_000;
const limitSec = 30;
/** Git prints all files before it counts lines, and is ended where they are many more than are shown. */
const listedBytes = 8 * 2 ** 20;

const statuses: Readonly<Record<string, ChangedFile["status"]>> = {
  A: "added",
  M: "modified",
  D: "deleted",
  R: "renamed",
  C: "copied",
  T: "type_changed",
};

const raw = /^:(\d{6}) (\d{6}) [0-9a-f]+ [0-9a-f]+ ([A-Z])\d*$/;
const counts = /^(\d+|-)\t(\d+|-)\t([\s\S]*)$/;

type Counts = Pick<ChangedFile, "added" | "removed">;

/** Reads `diff --raw --numstat -z`. A last part that is cut off is left out. */
const readDiff = (text: string): readonly ChangedFile[] => {
  const parts = text.split("\0");
  // The text after the last NUL is empty or cut off.
  parts.pop();
  const files: Omit<ChangedFile, keyof Counts>[] = [];
  const countsOf = new Map<string, Counts>();
  for (let at = 0; at < parts.length; ) {
    const line = raw.exec(parts[at]!);
    if (line !== null) {
      const [, oldMode = "", newMode = "", letter = ""] = line;
      const isMoved = letter === "R" || letter === "C";
      const [first, second] = [parts[at + 1], parts[at + 2]];
      at += isMoved ? 3 : 2;
      if (first === undefined || (isMoved && second === undefined)) break;
      files.push({
        status: statuses[letter] ?? "modified",
        path: isMoved ? second! : first,
        oldPath: isMoved ? first : null,
        oldMode,
        newMode,
      });
      continue;
    }
    const count = counts.exec(parts[at]!);
    if (count === null) break;
    const [, added, removed, path = ""] = count;
    // The two names of a moved file are parts of their own.
    const name = path === "" ? parts[at + 2] : path;
    at += path === "" ? 3 : 1;
    if (name === undefined) break;
    const number = (text = "") => (text === "-" ? null : Number(text));
    countsOf.set(name, { added: number(added), removed: number(removed) });
  }
  return files.map((file) => ({ ...file, ...(countsOf.get(file.path) ?? { added: null, removed: null }) }));
};

const diffTree = async (
  git: Git,
  folder: StoreFolder,
  { base, head }: Between,
  args: readonly string[],
  { paths = [], bytes }: { readonly paths?: readonly string[]; readonly bytes: number },
): Promise<GitOutcome> => {
  const outcome = await git.run({
    args: [
      "--literal-pathspecs",
      "--git-dir",
      folder.captured,
      "diff-tree",
      "-r",
      ...plain,
      ...args,
      "--end-of-options",
      fullId(base),
      fullId(head),
      ...(paths.length === 0 ? [] : ["--", ...paths]),
    ],
    folders: reading(folder),
    limitSec,
    outputBytes: bytes,
  });
  if (outcome.exitCode !== 0 && outcome.ended === null) throw new StoreFailed(whyFailed(outcome));
  return outcome;
};

/** @throws StoreFailed */
export const changesIn = async (
  git: Git,
  folder: StoreFolder,
  between: Between,
  limits: { readonly files: number },
): Promise<Changes> => {
  const listed = await diffTree(git, folder, between, ["--raw", "--numstat", "-z"], { bytes: listedBytes });
  const files = readDiff(listed.stdout.toString());
  return {
    ...between,
    commits: await commitsIn(git, folder, between),
    files: files.slice(0, limits.files),
    isCut: listed.ended !== null || files.length > limits.files,
  };
};

/** No file of a tree has such a name, and git would print the path of the store. */
const isOutside = (path: string): boolean => path.split("/").some((part) => /^\.{0,2}$/.test(part));

/** @throws StoreFailed */
export const patchIn = async (
  git: Git,
  folder: StoreFolder,
  between: Between,
  what: { readonly paths: readonly string[]; readonly bytes: number },
): Promise<string | null> => {
  if (what.paths.some(isOutside)) return "";
  const outcome = await diffTree(git, folder, between, ["-p"], what);
  return outcome.ended === null ? outcome.stdout.toString() : null;
};

const entry = /^100(?:644|755) blob ([0-9a-f]+) +(\d+)\t([\s\S]*)\0$/;

/** @throws StoreFailed */
export const fileIn = async (
  git: Git,
  folder: StoreFolder,
  commit: Commit,
  path: string,
  bytes: number,
): Promise<string | null> => {
  if (isOutside(path)) return null;
  const inCaptured = (args: readonly string[]) =>
    git.expect({
      args: ["--literal-pathspecs", "--git-dir", folder.captured, ...args],
      folders: reading(folder),
      limitSec,
    });
  const listed = await inCaptured([
    "ls-tree",
    "-z",
    "-l",
    "--full-tree",
    "--end-of-options",
    fullId(commit),
    path,
  ]);
  const [, blob, size, name] = entry.exec(listed.toString()) ?? [];
  if (blob === undefined || name !== path || Number(size) > bytes) return null;
  const content = await inCaptured(["cat-file", "blob", blob]);
  return content.includes(0) ? null : content.toString();
};

const commitsIn = async (
  git: Git,
  folder: StoreFolder,
  { base, head }: Between,
): Promise<readonly ChangedCommit[]> => {
  const outcome = await git.run({
    args: [
      "--git-dir",
      folder.captured,
      "log",
      "--no-color",
      "--no-show-signature",
      "--no-notes",
      `--max-count=${commitsMost}`,
      "--format=%H%x00%P%x00%an%x00%ae%x00%at%x00%B%x00",
      "--end-of-options",
      `${base}..${head}`,
      "--",
    ],
    folders: reading(folder),
    limitSec,
    outputBytes: 32 * 2 ** 20,
  });
  if (outcome.exitCode !== 0 && outcome.ended === null) throw new StoreFailed(whyFailed(outcome));
  const parts = outcome.stdout.toString().split("\0");
  const commits: ChangedCommit[] = [];
  for (let at = 0; at + 5 < parts.length; at += 6) {
    const [commit = "", parents = "", author = "", authorEmail = "", seconds = "", message = ""] =
      parts.slice(at, at + 6);
    commits.push({
      commit: commit.trim(),
      parents: parents.split(" ").filter((each) => each !== ""),
      author: author.slice(0, 500),
      authorEmail: authorEmail.slice(0, 500),
      authoredAt: instantOf(Number(seconds)),
      message: message.trimEnd().slice(0, messageMost).toWellFormed(),
    });
  }
  return commits;
};

/** Git bears years that Date does not. */
const instantOf = (seconds: number): string => {
  const at = new Date(seconds * 1_000);
  return Number.isNaN(at.getTime()) ? new Date(0).toISOString() : at.toISOString();
};
