/** The largest untracked file that is kept. */
export const untrackedMaxBytes = 50 * 2 ** 20;

/**
 * Keeps everything of a clone that git does not ignore, as refs of the service, whatever state `.git` is in. Runs in the
 * agents' sandbox, as their user. It changes neither HEAD, index, refs, configuration nor files of the agent, and reads
 * none of its configuration: its git directory is its own, only objects and a copy of the index are the agent's. A file
 * that is no regular one could hold a reader without end, so that each look into the agent's git directory has a time limit.
 *
 * Arguments: run, the commit in place of a HEAD that is gone, address to push to, folder (or `.`), `whole` or `files` (nothing of `.git` is used), and the
 * folders of all clones if files outside of them are to be named. SHARED_OBJECTS: the shared store; empty: not on this machine. SCRATCH: a folder to
 * write in. TRAILERS: the end of the message of the commit with the files. SPARSE: the folders that the clone has, one on a line; empty: all. A file that the index says is not laid out,
 * and is there, counts as changed. Prints lines: `head own|none`, `state <word>`, `branch <ref>`, `left <reason> <path>`,
 * `kib <size of the workspace>`.
 */
export const keepWork = `
set -u
run=$1 stand_in=$2 to=$3 folder=$4 how=$5
shift 5
clones=$*
root=$PWD
mkdir -p "$folder" && cd "$folder" || exit 1
top=$(pwd -P)
# Of attempts that were killed.
find "$SCRATCH" -maxdepth 1 -name 'keep-*' -mmin +60 -exec rm -rf {} + 2>/dev/null
t=$(mktemp -d "$SCRATCH/keep-XXXXXX") && trap 'rm -rf "$t"' EXIT
: >"$t/left"
look() { timeout -k 1 20 git --git-dir="$theirs" "$@" </dev/null 2>/dev/null; }
theirs=
[ "$how" = files ] || theirs=$(timeout -k 1 20 git rev-parse --absolute-git-dir 2>/dev/null)
case $theirs in "$top"/*) ;; *) theirs= ;; esac
head=$([ -n "$theirs" ] && look rev-parse -q --verify 'HEAD^{commit}')
objects=$theirs/objects
if [ -z "$theirs" ] || ! [ -d "$objects" ] || ! [ -w "$objects" ]; then
  objects=$t/objects
  mkdir -p "$objects/info" "$objects/pack"
fi
git init -q --bare --template= "$t/git" || exit 1
mkdir -p "$t/git/info"
echo '* -filter' >"$t/git/info/attributes"
[ -n "$theirs" ] && [ -f "$theirs/info/exclude" ] && cp "$theirs/info/exclude" "$t/git/info/exclude" 2>/dev/null
export GIT_DIR=$t/git GIT_WORK_TREE=$top GIT_OBJECT_DIRECTORY=$objects GIT_INDEX_FILE=$t/index
export GIT_ALTERNATE_OBJECT_DIRECTORIES=$SHARED_OBJECTS
g() { git -c core.bare=false -c core.hooksPath=/dev/null -c core.untrackedCache=false -c core.splitIndex=false -c core.fsmonitor=false -c core.quotePath=true -c core.sparseCheckout=true "$@"; }
own=own
[ -n "$head" ] && g cat-file -e "$head^{tree}" 2>/dev/null || { head=$stand_in own=none; }
# Of a store that is not on this machine.
[ "$own" = own ] || g cat-file -e "$head^{tree}" 2>/dev/null || g fetch -q --no-tags --no-write-fetch-head "\${to%/kept}/shared" "$head" || exit 1
[ -n "$theirs" ] && [ -f "$theirs/index" ] && cp "$theirs/index" "$t/index" 2>/dev/null
if [ ! -s "$t/index" ] || ! g ls-files >/dev/null 2>&1; then
  # A refresh first keeps \`add\` from storing again what the shared store has.
  rm -f "$t/index"
  g read-tree "$head" || exit 1
  g update-index -q --refresh >/dev/null 2>&1
  if [ -n "$SPARSE" ]; then
    # Of the folders that were never laid out nothing is deleted.
    set -f
    IFS='
'
    set -- .
    for each in $SPARSE; do set -- "$@" ":(exclude,literal)$each"; done
    unset IFS
    set +f
    g ls-files -z --deleted -- "$@" | g update-index -z --skip-worktree --stdin
  fi
fi
g ls-files -v -z | tr '\\0\\n' '\\n\\001' | sed -n 's/^[a-z] //p' | tr '\\n\\001' '\\0\\n' | g update-index -z --no-assume-unchanged --stdin 2>/dev/null
printf '.\\0' >"$t/spec"
leave() { sed "s/^/left $1 /" >>"$t/left"; }
find . -name .git -prune -o -type f -size +${untrackedMaxBytes}c -print0 2>/dev/null >"$t/big"
if [ -s "$t/big" ]; then
  GIT_LITERAL_PATHSPECS=1 xargs -0 git ls-files -o --exclude-standard -z -- <"$t/big" >"$t/large"
  tr '\\0\\n' '\\n?' <"$t/large" | leave too_large
  sed -z 's/^/:(exclude,literal)/' "$t/large" >>"$t/spec"
fi
add() { g add -A --sparse --ignore-errors --pathspec-from-file="$t/spec" --pathspec-file-nul >/dev/null 2>"$t/said"; }
add
# A repository in the tree without a commit stops \`add\`.
n=0
while inner=$(sed -n "s/^error: '\\(.*\\)\\/' does not have a commit checked out$/\\1/p" "$t/said" | head -1) && [ -n "$inner" ] && [ $n -lt 20 ]; do
  n=$((n + 1))
  printf '%s\\n' "$inner" | leave inner_repository
  printf ':(exclude,literal)%s\\0' "$inner" >>"$t/spec"
  add
done
if grep -q '^fatal:' "$t/said"; then
  grep '^fatal:' "$t/said" >&2
  [ "$(g write-tree 2>/dev/null)" ] || exit 1
  echo 'left unknown ?' >>"$t/left"
fi
sed -n "s/^error: open(\\"\\(.*\\)\\"): .*/\\1/p; s/^warning: could not open directory '\\(.*\\)': .*/\\1/p" "$t/said" | leave unreadable
files=$(g write-tree) || exit 1
# Of repositories in the tree with commits, only the commit's id is in it.
g diff-tree -r --raw "$head" "$files" | sed -n 's/^:000000 160000 [^\\t]*\\t//p' | leave inner_repository
commit=$head
[ "$files" = "$(g rev-parse "$head^{tree}")" ] || commit=$(g commit-tree "$files" -p "$head" -m "Files at the end of run $run" -m "$TRAILERS") || exit 1
state=
branch=
if [ -n "$theirs" ]; then
  for s in index.lock BISECT_LOG REVERT_HEAD CHERRY_PICK_HEAD MERGE_HEAD rebase-apply rebase-merge; do [ -e "$theirs/$s" ] && state=$s; done
  branch=$(look symbolic-ref -q HEAD)
fi
[ "$own" = none ] || {
  look for-each-ref --count=151 --format='%(objectname):%(refname)' refs/heads
  # Older stashes are in the log of the ref alone.
  look log -g -n 41 --format=%H refs/stash | awk '{ printf "%s:refs/stashes/%03d\\n", $1, NR }'
} >"$t/all"
[ "$own" = none ] || cut -d: -f1 "$t/all" | g cat-file --batch-check='%(objecttype)' | paste -d: - "$t/all" | sed -n 's/^commit://p' |
  awk -F: 'index($2, "refs/heads/") == 1 && ++heads > 150 { next } index($2, "refs/stashes/") == 1 && ++stashes > 40 { next } { print }' >"$t/refs"
# Damaged, no commit, or more than a push may hold.
[ "$own" = none ] || cmp -s "$t/all" "$t/refs" || echo 'left unknown .git/refs' >>"$t/left"
push() { g push -q --no-verify --atomic "$to" "+$commit:refs/boardroom/runs/$run/tree" "+$head:refs/boardroom/runs/$run/head" "$@" 2>"$t/pushed"; }
others() { sed -n "s|^\\([0-9a-f]*\\):refs/\\(.*\\)$|+\\1:refs/boardroom/runs/$run/\\2|p" "$t/refs" 2>/dev/null; }
# A branch whose objects are damaged must not hold back the files.
others | { set --; while IFS= read -r each; do set -- "$@" "$each"; done; push "$@"; } || {
  [ -s "$t/refs" ] && push && echo 'left unknown .git/refs' >>"$t/left"
} || { grep -E '^(fatal|error|remote)' "$t/pushed" | head -3 >&2; exit 1; }
if [ -n "$clones" ]; then
  cd "$root" || exit 1
  set --
  for clone in $clones; do set -- "$@" -path "./$clone" -o; done
  find . -mindepth 1 \\( "$@" -false \\) -prune -o ! -type d -print 2>/dev/null | head -50 | sed 's/^/left outside_clones /' >>"$t/left"
fi
echo "head $own"
[ -z "$state" ] || echo "state $state"
[ -z "$branch" ] || echo "branch $branch"
sort -u "$t/left" | head -500
du -skx "$root" 2>/dev/null | sed -n 's/^\\([0-9]*\\).*/kib \\1/p'
`;
