import { join } from "node:path";
import { serviceAuthor } from "../../core/model/repositories/authorship.ts";
import type { Integrate, Integrated, TriedMerge } from "../../ports/code-stores.ts";
import { StoreFailed } from "../../ports/code-stores.ts";
import { authorship } from "./git-settings.ts";
import { refusalOfTree } from "./push-check.ts";
import { type Git, type GitCall, whyFailed } from "./run-git.ts";
import { reading, type StoreFolder, writingShared } from "./store-folder.ts";
import { copyToShared, fullId, isAncestorIn } from "./store-refs.ts";

/** Reads `merge-tree --write-tree -z --name-only --messages`. */
const readMerge = (text: string, isClean: boolean): TriedMerge => {
  const [tree = "", ...rest] = text.split("\0");
  if (isClean) return { kind: "clean", tree };
  const end = rest.indexOf("");
  const files = [...new Set(rest.slice(0, end < 0 ? undefined : end))];
  return { kind: "conflict", files: files.slice(0, 5_000), messages: messagesOf(rest.slice(end + 1)) };
};

/** Each message is the number of its paths, the paths, its kind and its text. */
const messagesOf = (parts: readonly string[]): string => {
  const lines: string[] = [];
  for (let at = 0; at < parts.length; ) {
    const paths = Number(parts[at]);
    if (!Number.isInteger(paths) || parts[at] === "") break;
    const [kind = "", text = ""] = parts.slice(at + paths + 1, at + paths + 3);
    if (kind.startsWith("CONFLICT")) lines.push(text.trimEnd());
    at += paths + 3;
  }
  return lines.join("\n").slice(0, 20_000);
};

/**
 * A squash has none of the commits that it was made of, so that git would merge their changes again. A commit that no branch
 * gets joins both. One process does it all, because what a trial writes ends with it.
 * Arguments: repository, commit to merge into, commit to merge; then those that were squashed.
 */
const mergeScript = `
dir=$1 onto=$2 from=$3
shift 3
if [ $# -gt 0 ]; then
  parents=
  for each in "$onto" "$@"; do parents="$parents -p $each"; done
  onto=$(git --git-dir "$dir" commit-tree "$onto^{tree}" $parents -m joined) || exit 128
fi
exec git --git-dir "$dir" merge-tree --write-tree -z --name-only --messages "$onto" "$from"
`;

const merge = async (
  git: Git,
  gitDir: string,
  { onto, from, squashed = [] }: Pick<Integrate, "onto" | "from" | "squashed">,
  where: Pick<GitCall, "folders" | "env">,
): Promise<TriedMerge> => {
  const outcome = await git.run({
    program: "/bin/sh",
    args: ["-c", mergeScript, "sh", gitDir, ...[onto, from, ...squashed].map(fullId)],
    ...where,
    env: { ...authorship(serviceAuthor), ...where.env },
    limitSec: 60,
  });
  if (outcome.exitCode === 0 || outcome.exitCode === 1)
    return readMerge(outcome.stdout.toString(), outcome.exitCode === 0);
  if (/refusing to merge unrelated histories/.test(outcome.stderr))
    return { kind: "conflict", files: [], messages: "The two have no common history." };
  throw new StoreFailed(whyFailed(outcome));
};

/** Writes the objects of the merge to memory that ends with the call. */
export const tryMergeIn = (
  git: Git,
  folder: StoreFolder,
  what: Pick<Integrate, "onto" | "from" | "squashed">,
): Promise<TriedMerge> =>
  merge(git, folder.captured, what, {
    folders: reading(folder),
    env: {
      GIT_OBJECT_DIRECTORY: "/tmp",
      GIT_ALTERNATE_OBJECT_DIRECTORIES: [folder.captured, folder.shared]
        .map((gitDir) => join(gitDir, "objects"))
        .join(":"),
    },
  });

/**
 * Refuses what was captured before pushes were checked for it, and two sides that together are more than one may be.
 * @throws StoreFailed
 */
const checkTree = async (git: Git, folder: StoreFolder, tree: string): Promise<void> => {
  const refusal = await git.expect({
    program: "/bin/sh",
    args: ["-c", `${refusalOfTree}refusal_of_tree "--git-dir=$1" "$2"`, "sh", folder.shared, fullId(tree)],
    folders: reading(folder),
  });
  if (refusal.length > 0) throw new StoreFailed(refusal.toString().trim());
};

/** Makes the commit; the caller has the lock. @throws StoreFailed */
export const integrateIn = async (
  git: Git,
  folder: StoreFolder,
  { onto, from, method, message, author, squashed }: Integrate,
): Promise<Integrated> => {
  if (await isAncestorIn(git, folder, from, onto)) return { kind: "nothing_new" };
  const isForward = await isAncestorIn(git, folder, onto, from);
  if (method === "fast_forward" && !isForward) return { kind: "not_fast_forward" };
  await copyToShared(git, folder, from, null);
  if (method === "fast_forward") {
    await checkTree(git, folder, from);
    return { kind: "integrated", commit: from };
  }
  const folders = writingShared(folder);
  const merged = await merge(git, folder.shared, { onto, from, squashed: squashed ?? [] }, { folders });
  if (merged.kind === "conflict") return merged;
  const treeNow = await git.expect({
    args: ["--git-dir", folder.shared, "rev-parse", "--verify", "--end-of-options", `${onto}^{tree}`],
    folders,
  });
  // A squash of it is no ancestor.
  if (treeNow.toString().trim() === merged.tree) return { kind: "nothing_new" };
  await checkTree(git, folder, merged.tree);
  const commit = await git.expect({
    args: [
      "--git-dir",
      folder.shared,
      "commit-tree",
      merged.tree,
      "-p",
      onto,
      ...(method === "merge" ? ["-p", from] : []),
      "-F",
      "-",
    ],
    input: message,
    folders,
    env: authorship(author),
  });
  return { kind: "integrated", commit: commit.toString().trim() };
};
