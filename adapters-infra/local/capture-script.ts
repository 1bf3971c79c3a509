import { readGitDir } from "./read-git-dir.ts";

/** The largest untracked file that is kept. */
const untrackedMaxBytes = 50 * 2 ** 20;

/** Deeper files are left out. */
const levelsMost = 250;

/** How many repositories inside of a clone are looked into. */
const innerMost = 50;

/**
 * Names the repositories inside of a clone, also in folders that git ignores, and excludes them from `git add`, which would
 * store no more than the id of a commit, and run git there with the agent's settings. One is not named if nothing of it would
 * be lost: its files are those of its commit, and its commits are at its host, or on a branch of the clone.
 */
const innerRepositories = `
# In a repository inside of the clone, as which \`g\` then works. Arguments: a folder to write in, and the path.
enter() {
  inner_in=$(git_dir_of "$top/$2") && common=$(common_dir_of "$inner_in") && cd "$top/$2" || return 1
  rm -rf "$1"
  open_git "$1" "$top/$2" "$inner_in" "$common" || return 1
  refs_in "$inner_in" "$common" >"$1/refs"
  at=$(sed -n 's/ HEAD$//p' "$1/refs")
}
has_all_elsewhere() (
  # The repository around it: another one inside of the clone, or the clone.
  outer=$1 path=$1 at=$stand_in common=$theirs
  while case $outer in */*) outer=\${outer%/*} ;; *) outer= ;; esac; [ -n "$outer" ]; do
    has_git "$outer" || continue
    path=\${1#"$outer"/}
    enter "$t/out" "$outer" || exit 1
    break
  done
  around=$common known=$(g ls-tree "$at" -- "$path" 2>/dev/null | sed -n 's/^160000 commit \\([0-9a-f]*\\).*/\\1/p')
  g check-ignore -q -- "$path" 2>/dev/null && is_ignored=1 || is_ignored=
  enter "$t/in" "$1" || exit 1
  [ -n "$known" ] || [ "$common" = "$around" ] || [ -n "$is_ignored" ] || exit 1
  # What is here is not elsewhere.
  ! text "$common/config" 1048576 | grep -qE '^[[:space:]]*url *= *"?([./]|file:)' || [ "$common" = "$theirs" ] || exit 1
  text "$common/shallow" 1048576 >"$t/in/git/shallow"
  [ -s "$t/in/git/shallow" ] || rm -f "$t/in/git/shallow"
  [ -z "$(g ls-files -z -m -o --exclude-standard 2>&1 | head -c 1 | tr '\\0' x)" ] || exit 1
  submodules | while IFS= read -r each; do
    each=$(unlined "$each")
    has_git "$each" || ! has_files "$each" || exit 1
  done || exit 1
  g diff-index --cached --quiet --ignore-submodules=all "$at" -- 2>/dev/null || exit 1
  if [ "$common" = "$around" ]; then mine='HEAD$' theirs_too='refs/heads/'; else mine='\\(HEAD\\|refs/stash\\)$\\| refs/heads/' theirs_too='refs/remotes/'; fi
  only=$({
    grep " $mine" "$t/in/refs" | cut -d ' ' -f 1
    { printf '%s\\n' "$known"; grep " $theirs_too" "$t/in/refs" | cut -d ' ' -f 1; } | sed -n 's/^[0-9a-f]/^&/p'
  } | g rev-list -n 1 --stdin 2>/dev/null) && [ -z "$only" ]
)
has_git() { [ -e "$1/.git" ] || [ -L "$1/.git" ]; }
submodules() { g ls-files -s -z | lines | sed -n 's/^160000 [0-9a-f]* [0-9]\\t//p'; }
# Git passes by what is in the folder of a submodule that is not laid out.
has_files() { [ -d "$1" ] && ! [ -L "$1" ] && [ -n "$(ls -A "$1" 2>/dev/null | head -n 1)" ]; }
exclude() { printf ':(exclude,literal)%s\\0' "$1" >>"$t/spec"; }
named() { printf '%s\\n' "$1" | tr '\\n' '?' | sed 's/?$/\\n/' | leave inner_repository; }
# Names may have newlines.
lines() { tr '\\0\\n' '\\n\\001'; }
unlined() { printf '%s' "$1" | tr '\\001' '\\n'; }
g ls-files -o --exclude-standard -z | grep -z '/$' | lines | while IFS= read -r each; do
  each=$(unlined "$each")
  exclude "\${each%/}"
done
submodules | while IFS= read -r each; do
  each=$(unlined "$each")
  if has_git "$each"; then exclude "$each"; elif has_files "$each"; then named "$each"; fi
done
grep -z '/\\.git$' "$t/found" | lines | {
  n=0
  while IFS= read -r each; do
    each=$(unlined "$each")
    each=\${each#./} each=\${each%/.git}
    n=$((n + 1))
    if [ $n -gt ${innerMost} ]; then echo '?' | leave inner_repository; break; fi
    has_all_elsewhere "$each" </dev/null || named "$each"
  done
}
`;

/**
 * Excludes from `git add`, and names, the files that .gitattributes would have git store otherwise than as they are: those without
 * the encoding that it gives them, at which git would also stop, and binary ones whose line endings it would change. Line
 * endings of texts are stored, and restored, as it gives them.
 */
const convertedFiles = `
is_binary() { ! LC_ALL=C tr -d '\\000' <"$1" | cmp -s - "$1"; }
is_restored() {
  id=$(g hash-object -w --path="$1" --stdin <"./$1" 2>/dev/null) && g cat-file --filters --path="$1" "$id" 2>/dev/null | cmp -s - "./$1"
}
g ls-files -z -m -o --exclude-standard | g check-attr -z --stdin text crlf eol working-tree-encoding | lines |
  awk '
    NR % 3 == 1 { path = $0 }
    NR % 3 == 2 { name = $0 }
    NR % 3 == 0 { value[name] = $0 }
    NR % 12 == 0 {
      text = value["text"] == "unspecified" ? value["crlf"] : value["text"]
      given = value["working-tree-encoding"]
      if (given != "unspecified" && given != "unset") print "encoded " path
      else if (text == "set" || text == "input" || text == "unspecified" && value["eol"] ~ /^(lf|crlf)$/) print "text " path
    }' >"$t/given"
{
  sed -n 's/^encoded //p' "$t/given"
  # A line ending is all that is changed in others.
  sed -n 's/^text //p' "$t/given" | tr '\\n\\001' '\\0\\n' | xargs -0 -r grep -lZ "$(printf '\\r')" -- 2>/dev/null | lines | while IFS= read -r each; do
    ! is_binary "$(unlined "$each")" || printf '%s\\n' "$each"
  done
} | sort -u | while IFS= read -r each; do
  each=$(unlined "$each")
  [ -f "$each" ] && ! [ -L "$each" ] && [ -r "$each" ] && ! is_restored "$each" </dev/null || continue
  exclude "$each"
  printf '%s\\n' "$each" | tr '\\n' '?' | sed 's/?$/\\n/' | leave encoding
done
`;

/**
 * Names the files whose content is in Git LFS here alone: commits have only pointers to it. Of the host's branches nothing is
 * looked at. A pointer is at most 1 KiB.
 */
const lfsContent = `
if [ -n "$theirs" ] && [ -d "$theirs/lfs/objects" ] && ! [ -L "$theirs/lfs" ]; then
  {
    echo "$commit"
    cut -d: -f1 "$t/sent"
    grep ' refs/remotes/origin/' "$t/refs" | grep -v ' refs/remotes/origin/boardroom/' | sed 's/^\\([0-9a-f]*\\) .*/^\\1/'
  } | g rev-list --objects --filter=blob:limit=1k --stdin 2>/dev/null | head -n 200000 |
    g cat-file --batch-check='%(objecttype) %(objectname) %(rest)' | sed -n 's/^blob //p' |
    g cat-file --batch='=file %(rest)' | LC_ALL=C awk '
      /^=file / { path = substr($0, 7) }
      /^oid sha256:[0-9a-f]+$/ { print substr($0, 12), path }' | sort -u | while read -r oid path; do
    rest=\${oid#??}
    [ ! -f "$theirs/lfs/objects/\${oid%"$rest"}/\${rest%"\${rest#??}"}/$oid" ] || printf '%s\\n' "$path"
  done | sort -u | head -n 100 | leave lfs_content
fi
`;

/**
 * Keeps everything of a clone that git does not ignore, as refs of the service, whatever state `.git` is in. Runs in the
 * agents' sandbox, as their user. It changes nothing of the agent's but pipes in place of git's own files, and git never gets the
 * agent's git directory (`readGitDir`).
 *
 * Arguments: run, the commit in place of a HEAD that is gone, address to push to, folder (or `.`), `whole` or `files` (nothing of `.git` is used), and the
 * folders of all clones if files outside of them are to be named. SHARED_OBJECTS: the shared store; empty: not on this machine. SCRATCH: a folder to
 * write in. TRAILERS: the end of the message of the commit with the files. SPARSE: the folders that the clone has, one on a line; empty: all. A file that the index says is not laid out,
 * and is there, counts as changed. Prints lines: `head own|none`, `state <word>`, `branch <ref>`, `left <reason> <path>`,
 * `kib <size of the workspace>`.
 */
export const captureScript = `
set -u
run=$1 stand_in=$2 to=$3 folder=$4 how=$5
shift 5
clones=$*
root=$PWD
mkdir -p -- "$folder" && cd -- "$folder" || exit 1
top=$(pwd -P)
# Of attempts that were killed.
find "$SCRATCH" -maxdepth 1 -name 'keep-*' -mmin +60 -exec rm -rf {} + 2>/dev/null
t=$(mktemp -d "$SCRATCH/keep-XXXXXX") && trap 'rm -rf "$t"' EXIT
: >"$t/left"
${readGitDir}
leave() { sed "s/^/left $1 /" >>"$t/left"; }
remove_pipes | leave unreadable
theirs=
if [ "$how" = whole ]; then theirs=$(git_dir_of "$top") && [ "$(common_dir_of "$theirs")" = "$theirs" ] || theirs=; fi
# The commits, branches and stashes in it are not kept.
[ -n "$theirs" ] || ! { [ -e .git ] || [ -L .git ]; } || echo .git | leave unknown
[ -z "$theirs" ] || ! [ -e "$theirs/reftable" ] || echo .git/reftable | leave unknown
open_git "$t" "$top" "$theirs" "$theirs" || exit 1
: >"$t/refs"
[ -z "$theirs" ] || refs_in "$theirs" "$theirs" >"$t/refs"
head=$(sed -n 's/ HEAD$//p' "$t/refs")
own=own
[ -n "$head" ] && g cat-file -e "$head^{tree}" 2>/dev/null || { [ -z "$head" ] || echo .git/HEAD | leave unknown; head=$stand_in own=none; }
# Of a store that is not on this machine.
[ "$own" = own ] || g cat-file -e "$head^{tree}" 2>/dev/null || g fetch -q --no-tags --no-write-fetch-head "\${to%/kept}/shared" "$head" || exit 1
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
find . -path ./.git -prune -o -name .git -print0 -prune -o -type f -size +${untrackedMaxBytes}c -print0 2>/dev/null >"$t/found"
grep -zv '/\\.git$' "$t/found" >"$t/big"
if [ -s "$t/big" ]; then
  GIT_LITERAL_PATHSPECS=1 xargs -0 git ls-files -o --exclude-standard -z -- <"$t/big" >"$t/large"
  tr '\\0\\n' '\\n?' <"$t/large" | leave too_large
  sed -z 's/^/:(exclude,literal)/' "$t/large" >>"$t/spec"
fi
${innerRepositories}
${convertedFiles}
# A push with more levels is refused as a whole.
find . -mindepth ${levelsMost} -maxdepth ${levelsMost} -print0 2>/dev/null | lines | head -n 100 | while IFS= read -r each; do
  each=$(unlined "$each")
  exclude "\${each#./}"
  printf '%s\\n' "$each" | cut -c 1-200 | leave too_large
done
g add -A --sparse --ignore-errors --pathspec-from-file="$t/spec" --pathspec-file-nul >/dev/null 2>"$t/said"
if grep -q '^fatal:' "$t/said"; then
  grep '^fatal:' "$t/said" >&2
  [ "$(g write-tree 2>/dev/null)" ] || exit 1
  echo '?' | leave unknown
fi
sed -n "s/^error: open(\\"\\(.*\\)\\"): .*/\\1/p; s/^warning: could not open directory '\\(.*\\)': .*/\\1/p" "$t/said" | leave unreadable
files=$(g write-tree) || exit 1
commit=$head
[ "$files" = "$(g rev-parse "$head^{tree}")" ] || commit=$(g commit-tree "$files" -p "$head" -m "Files at the end of run $run" -m "$TRAILERS") || exit 1
state=
branch=
if [ -n "$theirs" ]; then
  for s in index.lock BISECT_LOG REVERT_HEAD CHERRY_PICK_HEAD MERGE_HEAD rebase-apply rebase-merge; do [ -e "$theirs/$s" ] && state=$s; done
  branch=$(head_in "$theirs" | sed -n 's/^ref: *//p')
  {
    sed -n 's/ refs\\/heads\\//:refs\\/heads\\//p' "$t/refs" | head -n 151
    # The newest first. Older stashes are in the log of the ref alone, which may be gone.
    if [ -s "$theirs/logs/refs/stash" ]; then
      text "$theirs/logs/refs/stash" 16777216 |
        awk '{ last[NR % 41] = $2 } END { for (n = NR; n > 0 && n > NR - 41; n -= 1) print last[n % 41] }'
    else sed -n 's/ refs\\/stash$//p' "$t/refs"; fi | awk '{ printf "%s:refs/stashes/%03d\\n", $1, NR }'
  } >"$t/all"
  cut -d: -f1 "$t/all" | g cat-file --batch-check='%(objecttype)' | paste -d: - "$t/all" | sed -n 's/^commit://p' |
    awk -F: 'index($2, "refs/heads/") == 1 && ++heads > 150 { next } index($2, "refs/stashes/") == 1 && ++stashes > 40 { next } { print }' |
    while IFS= read -r each; do git check-ref-format "\${each#*:}" && printf '%s\\n' "$each"; done >"$t/sent"
  # Damaged, no commit, or more than a push may hold.
  cmp -s "$t/all" "$t/sent" || echo .git/refs | leave unknown
fi
${lfsContent}
push() { g push -q --no-verify --atomic "$to" "+$commit:refs/boardroom/runs/$run/tree" "+$head:refs/boardroom/runs/$run/head" "$@" 2>"$t/pushed"; }
others() { sed -n "s|^\\([0-9a-f]*\\):refs/\\(.*\\)$|+\\1:refs/boardroom/runs/$run/\\2|p" "$t/sent" 2>/dev/null; }
# A branch whose objects are damaged must not hold back the files.
others | { set --; while IFS= read -r each; do set -- "$@" "$each"; done; push "$@"; } || {
  [ -s "$t/sent" ] && push && echo .git/refs | leave unknown
} || { grep -E '^(fatal|error|remote)' "$t/pushed" | head -3 >&2; exit 1; }
if [ -n "$clones" ]; then
  cd "$root" || exit 1
  set --
  for clone in $clones; do set -- "$@" -path "./$clone" -o; done
  find . -mindepth 1 \\( "$@" -false \\) -prune -o ! -type d -print 2>/dev/null | head -50 | leave outside_clones
fi
echo "head $own"
[ -z "$state" ] || echo "state $state"
[ -z "$branch" ] || echo "branch $branch"
sort -u "$t/left" | head -500
du -skx "$root" 2>/dev/null | sed -n 's/^\\([0-9]*\\).*/kib \\1/p'
`;
