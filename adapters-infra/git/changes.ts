import type { ChangedCommit, ChangedFile, Changes, ChangesLimits, Commit } from "../../ports/code-stores.ts";
import { StoreFailed } from "../../ports/code-stores.ts";
import { type Git, whyFailed } from "./run-git.ts";
import { reading, type StoreFolder } from "./store-folder.ts";
import { fullId } from "./store-refs.ts";

const plain = ["--no-ext-diff", "--no-textconv", "--no-color", "-M"];
const commitsMost = 500;
const messageMost = 10_000;
const limitSec = 30;

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
export const readDiff = (text: string): readonly ChangedFile[] => {
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

/** @throws StoreFailed */
export const changesIn = async (
  git: Git,
  folder: StoreFolder,
  { base, head }: { readonly base: Commit; readonly head: Commit },
  limits: ChangesLimits,
): Promise<Changes> => {
  const between = [fullId(base), fullId(head)];
  const diff = async (args: readonly string[], outputBytes: number) => {
    const outcome = await git.run({
      args: ["--git-dir", folder.kept, "diff-tree", "-r", ...plain, ...args, "--end-of-options", ...between],
      folders: reading(folder),
      limitSec,
      outputBytes,
    });
    if (outcome.exitCode !== 0 && outcome.ended === null) throw new StoreFailed(whyFailed(outcome));
    return outcome;
  };
  const listed = await diff(["--raw", "--numstat", "-z"], 64 * 2 ** 20);
  const files = readDiff(listed.stdout.toString());
  const isCut = listed.ended !== null || files.length > limits.files;
  const patch =
    limits.patchBytes === 0 || listed.ended !== null ? null : await diff(["-p"], limits.patchBytes);
  return {
    base,
    head,
    commits: await commitsIn(git, folder, between[0]!, between[1]!),
    files: files.slice(0, limits.files),
    isCut,
    patch: patch === null || patch.ended !== null ? null : patch.stdout.toString(),
  };
};

const commitsIn = async (
  git: Git,
  folder: StoreFolder,
  base: Commit,
  head: Commit,
): Promise<readonly ChangedCommit[]> => {
  const outcome = await git.run({
    args: [
      "--git-dir",
      folder.kept,
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
