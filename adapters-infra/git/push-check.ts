import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** The most that a push may hold, unpacked: git's own limit counts packed bytes. */
const entriesMost = 500_000;
const unpackedMaxMib = 4_096;
/** Git recurses into folders, and crashes in some thousand levels; no system lays out a longer path. */
const levelsMost = 256;
const pathMaxBytes = 4_000;

/** The most paths that the commits of a push may change together; each costs a microsecond. */
const changesMost = 5_000_000;

/** Functions of a shell. Git quotes line ends in paths. */
const refusalOfPaths = `
paths_of() { git -c core.quotePath=false "$@" || echo '!failed'; }
refusal_of_paths() {
  LC_ALL=C awk -F / -v most="$1" -v refusal="$2" '
    NF > ${levelsMost} { print "A commit has folders in more than ${levelsMost} levels."; exit }
    length($0) > ${pathMaxBytes} { print "A commit has a path of more than ${pathMaxBytes} bytes."; exit }
    $0 == "!failed" { print "A commit has files that git cannot list."; exit }
    NR > most { print refusal; exit }'
}
`;

/**
 * A function of a shell that looks at all files and folders of a tree, for git with the option `$1`, and prints why it is
 * refused. Git that fails for the tree has refused it, too.
 */
export const refusalOfTree = `${refusalOfPaths}
refusal_of_tree() {
  paths_of $1 ls-tree -r -t --name-only "$2" | refusal_of_paths ${entriesMost} "A commit has more than ${entriesMost} files."
}
`;

/**
 * Runs in the quarantine of a push, before any ref changes, with the store's settings. Arguments and names are git's. Of
 * commits below the tips only what each changes is looked at: the rest is in a commit before it.
 */
const script = `#!/bin/sh
set -u
${refusalOfTree}
refuse() {
  [ -z "$1" ] || { echo "$1" >&2; exit 1; }
}
new=
while read -r _ to _; do
  case $to in *[!0]*) ;; *) continue ;; esac
  new="$new $to"
  refuse "$(refusal_of_tree "" "$to")"
done
[ -n "$new" ] || exit 0
refuse "$(paths_of log --format= --name-only -r -t --root --diff-merges=first-parent --no-renames $new --not --all --alternate-refs -- |
  refusal_of_paths ${changesMost} "The commits of the push change more than ${changesMost} paths.")"
mib=$(git rev-list --objects $new --not --all --alternate-refs | cut -c1-40 |
  git cat-file --batch-check='%(objectsize)' | awk '{ sum += $1 } END { printf "%d", sum / 1048576 }')
refuse "$([ "\${mib:-0}" -le ${unpackedMaxMib} ] || echo "The push holds more than ${unpackedMaxMib} MiB when unpacked.")"
`;

/** Writes the folder of hooks, which is the service's own, and returns its path. */
export const pushCheck = async (repositories: string): Promise<string> => {
  const folder = join(repositories, "push-check");
  await mkdir(folder, { recursive: true, mode: 0o755 });
  await writeFile(join(folder, "pre-receive"), script, { mode: 0o755 });
  return folder;
};
