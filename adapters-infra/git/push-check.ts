import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** The most that a push may hold, unpacked: git's own limit counts packed bytes. */
const entriesMost = 500_000;
const unpackedMaxMib = 4_096;

/** Runs in the quarantine of a push, before any ref changes, with the store's settings. Arguments and names are git's. */
const script = `#!/bin/sh
set -u
new=
while read -r _ to _; do
  case $to in *[!0]*) ;; *) continue ;; esac
  new="$new $to"
  entries=$(git ls-tree -r --name-only "$to" | head -n ${entriesMost + 1} | wc -l)
  if [ "$entries" -gt ${entriesMost} ]; then
    echo "A commit has more than ${entriesMost} files." >&2
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
