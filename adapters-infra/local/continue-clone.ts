import { readGitDir } from "./read-git-dir.ts";

/** Exit code of `continueClone`: the clone stays as it is. */
export const staysThere = 4;

/**
 * Moves the branch in a clone from the commit that was merged to the commit of the merge. Uncommitted files stay;
 * where one of them differs between the two commits, or the agent has another branch or is in the middle of a rebase or a merge,
 * nothing is changed. Git never gets the agent's git directory (`readGitDir`), so no program that the agent names starts: files are
 * written as in a new clone, those in Git LFS as pointers.
 * SHARED_OBJECTS, SCRATCH: as of `captureScript`.
 * Arguments: folder, address, branch, base branch, merged commit, commit of the merge.
 */
export const continueClone = `
set -u
folder=$1 url=$2 branch=$3 base_branch=$4 merged=$5 onto=$6
cd -- "$folder" || exit ${staysThere}
top=$(pwd -P)
t=$(mktemp -d "$SCRATCH/continue-XXXXXX") && trap 'rm -rf "$t"' EXIT || exit ${staysThere}
${readGitDir}
theirs=$(git_dir_of "$top") && [ "$theirs" = "$top/.git" ] && [ "$(common_dir_of "$theirs")" = "$theirs" ] || exit ${staysThere}
case $(head_in "$theirs") in "ref: refs/heads/$branch") ;; *) exit ${staysThere} ;; esac
refs_in "$theirs" "$theirs" >"$t/refs"
now=$(sed -n 's/ HEAD$//p' "$t/refs")
[ "$now" != "$onto" ] || exit 0
[ "$now" = "$merged" ] || exit ${staysThere}
for each in index.lock MERGE_HEAD CHERRY_PICK_HEAD REVERT_HEAD BISECT_START BISECT_LOG rebase-merge rebase-apply; do
  [ ! -e "$theirs/$each" ] && [ ! -L "$theirs/$each" ] || exit ${staysThere}
done
remove_pipes >/dev/null
open_git "$t" "$top" "$theirs" "$theirs" && [ -s "$t/index" ] || exit ${staysThere}
# Only where the clone has the folders of its order alone; an agent may have laid out the others.
is_sparse() { GIT_DIR=/nonexistent timeout -k 1 20 git config --file "$1" --type bool --get core.sparseCheckout 2>/dev/null; }
if [ "$(is_sparse "$theirs/config.worktree" || is_sparse "$theirs/config")" = true ]; then
  text "$theirs/info/sparse-checkout" 1048576 >"$t/git/info/sparse-checkout"
fi
if [ -z "$SHARED_OBJECTS" ]; then
  g -c fetch.unpackLimit=1 fetch -q --no-tags --no-write-fetch-head "$url/shared" "$onto" || exit 1
  mkdir -p "$theirs/objects/pack" && for each in "$t"/git/objects/pack/*; do
    [ ! -e "$each" ] || cp -- "$each" "$theirs/objects/pack/" || exit ${staysThere}
  done
fi
# At the end, so that a kill before leaves the clone as it was, and one in between what the next run completes.
put() { mkdir -p -- "\${2%/*}" && mv -fT -- "$1" "$2"; }
g symbolic-ref HEAD "refs/heads/$branch" && g update-ref "refs/heads/$branch" "$merged" &&
  g checkout -q --no-track --no-overwrite-ignore -B "$branch" "$onto" >&2 || exit ${staysThere}
printf '%s\\n' "$onto" >"$t/branch" && cp "$t/branch" "$t/base" || exit ${staysThere}
put "$t/index" "$theirs/index" && put "$t/branch" "$theirs/refs/heads/$branch" || exit ${staysThere}
put "$t/base" "$theirs/refs/remotes/origin/$base_branch" || :
`;
