/** Exit code of `continueClone`: the clone stays as it is. */
export const staysThere = 4;

/**
 * Moves the branch in a clone from the commit that was merged to the commit of the merge. Uncommitted files stay;
 * where one of them differs between the two commits, or the agent has another branch or is in the middle of a rebase or a merge,
 * nothing is changed. Hooks of the agents are not started; filters are, in the sandbox, as they are at each checkout of theirs.
 * Arguments: folder, objects (empty: not on this machine), address, branch, base branch, merged commit, commit of the merge.
 */
export const continueClone = `
set -u
folder=$1 objects=$2 url=$3 branch=$4 base_branch=$5 merged=$6 onto=$7
cd -- "$folder" || exit ${staysThere}
git() { timeout -k 1 300 git -c core.hooksPath=/dev/null -c core.fsmonitor=false "$@"; }
[ "$(git symbolic-ref -q HEAD)" = "refs/heads/$branch" ] || exit ${staysThere}
now=$(git rev-parse -q --verify HEAD) || exit ${staysThere}
[ "$now" != "$onto" ] || exit 0
[ "$now" = "$merged" ] || exit ${staysThere}
for each in MERGE_HEAD CHERRY_PICK_HEAD REVERT_HEAD BISECT_START; do
  [ ! -e ".git/$each" ] || exit ${staysThere}
done
[ -n "$objects" ] || git fetch -q --no-tags --no-write-fetch-head "$url/shared" "$onto" || exit 1
git checkout -q --no-track --no-overwrite-ignore -B "$branch" "$onto" >&2 || exit ${staysThere}
git update-ref "refs/remotes/origin/$base_branch" "$onto"
`;
