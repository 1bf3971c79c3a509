import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** The most that a push may hold, unpacked: git's own limit counts packed bytes. */
const entriesMost = 500_000;
const unpackedMaxMib = 4_096;
/** Git recurses into folders, and crashes in some thousand levels; no system lays out a longer path. */
const levelsMost = 256;
const pathMaxBytes = 4_000;

/**
 * A function of a shell that looks at all files and folders of a tree, for git below `$1`, and prints why it is refused.
 * Git that fails for the tree has refused it, too.
 */
export const refusalOfTree = `
refusal_of_tree() {
  { git -c core.quotePath=false $1 ls-tree -r -t --name-only "$2" || echo '!failed'; } | head -n ${entriesMost + 1} | LC_ALL=C awk -F / '
    NF > ${levelsMost} { print "A commit has folders in more than ${levelsMost} levels."; exit }
    length($0) > ${pathMaxBytes} { print "A commit has a path of more than ${pathMaxBytes} bytes."; exit }
    $0 == "!failed" { print "A commit has files that git cannot list."; exit }
    NR > ${entriesMost} { print "A commit has more than ${entriesMost} files."; exit }'
}
`;

/** Runs in the quarantine of a push, before any ref changes, with the store's settings. Arguments and names are git's. */
const script = `#!/bin/sh
set -u
${refusalOfTree}
new=
while read -r _ to _; do
  case $to in *[!0]*) ;; *) continue ;; esac
  new="$new $to"
  refusal=$(refusal_of_tree "" "$to")
  if [ -n "$refusal" ]; then
    echo "$refusal" >&2
    exit 1
  fi
done
[ -n "$new" ] || exit 0
mib=$(git rev-list --objects $new --not --all --alternate-refs | cut -c1-40 |
  git cat-file --batch-check='%(objectsize)' | awk '{ sum += $1 } END { printf "%d", sum / 1048576 }')
if [ "\${mib:-0}" -gt ${unpackedMaxMib} ]; then
  echo "The push holds more than ${unpackedMaxMib} MiB when unpacked." >&2
  exit 1
fi
`;

/** Writes the folder of hooks, which is the service's own, and returns its path. */
export const pushCheck = async (repositories: string): Promise<string> => {
  const folder = join(repositories, "push-check");
  await mkdir(folder, { recursive: true, mode: 0o755 });
  await writeFile(join(folder, "pre-receive"), script, { mode: 0o755 });
  return folder;
};
