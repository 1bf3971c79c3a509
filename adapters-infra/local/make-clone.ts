/**
 * Says in a clone who commits, and lets a hook add the trailers; a hook of the agents' own in its place stays. AUTHOR_NAME,
 * AUTHOR_EMAIL; TRAILERS: one on a line. Repositories that a program makes elsewhere have the same author. Agents may have left
 * a pipe, a folder or a link in place of each file.
 */
const signCommits = `
# Of a file alone: no repository is opened for it, whose settings name programs.
settings() { GIT_DIR=/nonexistent timeout -k 1 20 git config --file "$@"; }
sign() {
  settings .git/config --replace-all user.name "$AUTHOR_NAME" && settings .git/config --replace-all user.email "$AUTHOR_EMAIL" || return 1
  for each in user.name="$AUTHOR_NAME" user.email="$AUTHOR_EMAIL"; do
    settings "$SCRATCH/gitconfig" --replace-all "\${each%%=*}" "\${each#*=}" 2>/dev/null || :
  done
  rm -rf .git/boardroom-trailers && printf '%s\n' "$TRAILERS" >.git/boardroom-trailers || return 1
  mkdir -p .git/hooks || return 1
  [ ! -e .git/hooks/commit-msg ] || return 0
  cat >.git/hooks/commit-msg <<'hook'
#!/bin/sh
trailers=$(git rev-parse --git-common-dir)/boardroom-trailers
[ -s "$trailers" ] || exit 0
message=$1
set --
while IFS= read -r trailer; do set -- "$@" --trailer "$trailer"; done <"$trailers"
exec git interpret-trailers --in-place --no-divider --if-exists addIfDifferent "$@" "$message"
hook
  chmod +x .git/hooks/commit-msg
}
`;

/**
 * Says in the run's log what a workspace has not of its repository. Addresses of submodules that are relative would lead to the
 * service: they are set for the host, and for the store of a repository of the project where one is meant. Of \`.gitmodules\`
 * no more is read than its lines, and no repository is opened for it.
 * HOST_URL: the address of the clone's repository at its host; PROJECT_URLS: lines of such an address and of the store.
 */
const nameGaps = `
plain_url() { set -- "\${1%/}"; printf '%s' "\${1%.git}"; }
# Relative to the host's address, as git does it.
full_url() {
  set -- "$1" "\${HOST_URL%/}"
  while :; do
    case $1 in
    ../*) set -- "\${1#../}" "\${2%/*}" ;;
    ./*) set -- "\${1#./}" "$2" ;;
    *) break ;;
    esac
  done
  printf '%s/%s' "$2" "$1"
}
store_of() {
  printf '%s\\n' "$PROJECT_URLS" | while read -r theirs ours; do
    [ -z "$theirs" ] || [ "$(plain_url "$theirs")" != "$(plain_url "$1")" ] || { printf '%s/shared' "$ours"; break; }
  done
}
name_submodules() {
  [ -f .gitmodules ] && [ ! -L .gitmodules ] || return 0
  sep=$(printf '\\001')
  settings .gitmodules -z --get-regexp '^submodule[.].*[.]url$' 2>/dev/null | tr '\\0\\n' '\\n\\001' | head -n 50 | while IFS= read -r each; do
    key=\${each%%"$sep"*} url=\${each#*"$sep"} store=
    name=\${key#submodule.} name=$(printf '%s' "\${name%.url}" | tr '[:cntrl:]' '?' | cut -c 1-200)
    if [ -n "$HOST_URL" ]; then
      case $url in ./* | ../*) url=$(full_url "$url") ;; esac
      store=$(store_of "$url")
      [ -z "$store" ] || url=$store
      [ "$url" = "\${each#*"$sep"}" ] || settings .git/config --replace-all "$key" "$url" 2>/dev/null || :
    fi
    [ ! -d ".git/modules/$name" ] || continue
    if [ -n "$store" ]; then
      echo "The submodule $name is not laid out. git submodule update --init $name fetches it from the service. Submodules inside of it whose addresses are relative are not found there: set their addresses first (git -C $name config submodule.NAME.url)." >&2
    else echo "The submodule $name is not laid out: its repository is not one of the project." >&2; fi
  done
}
name_lfs() {
  for each in .gitattributes */.gitattributes; do
    [ -f "$each" ] && [ ! -L "$each" ] && timeout -k 1 20 head -c 1048576 "$each" 2>/dev/null | grep -q 'filter=lfs' || continue
    echo "Files of the repository are in Git LFS, as $each says: the workspace has pointers in their place. The service neither fetches nor captures what is in Git LFS." | tr -d '[:cntrl:]' >&2
    echo >&2
    return 0
  done
}
name_gaps() { name_submodules || :; name_lfs || :; }
`;

/**
 * Makes a clone that borrows the objects of the shared store, in the sandbox, as the agents' user. Of the store only its
 * objects are visible: all commits come from the caller, and kept work through the service. Where the store is not on the
 * machine the base comes through the service, too, with all that was before it.
 * SPARSE: the folders to lay out, one on a line; empty: all.
 * Arguments: folder (or `.`), objects (empty: not on this machine), address, branch, base branch, base commit; then, to begin from kept work: run, head,
 * files.
 */
export const makeClone = `${signCommits}${nameGaps}
set -eu
folder=$1 objects=$2 url=$3 branch=$4 base_branch=$5 base=$6
mkdir -p -- "$folder"
cd -- "$folder"
git init -q --template= -b "$branch" .
mkdir -p .git/info .git/objects/info
sign
[ -z "$objects" ] || printf '%s\\n' "$objects" >.git/objects/info/alternates
git config gc.auto 0
git config maintenance.auto false
git config push.default current
git remote add origin "$url/shared"
git remote set-url --push origin "$url/kept"
[ -n "$objects" ] || git fetch -q --no-tags --no-write-fetch-head "$url/shared" "$base"
git update-ref "refs/remotes/origin/$base_branch" "$base"
[ -z "$SPARSE" ] || printf '%s\\n' "$SPARSE" | git sparse-checkout set --cone --stdin
if [ $# -gt 6 ]; then
  run=$7 head=$8 files=$9
  git fetch -q --no-tags --no-write-fetch-head --update-head-ok "$url/kept" "+refs/boardroom/runs/$run/heads/*:refs/heads/*" \\
    "+refs/boardroom/runs/$run/tree:refs/boardroom/kept/tree" "+refs/boardroom/runs/$run/head:refs/boardroom/kept/head" \\
    "+refs/boardroom/runs/$run/stashes/*:refs/boardroom/kept/stashes/*"
  git for-each-ref --sort=-refname --format='%(objectname)' refs/boardroom/kept/stashes | while read -r stash; do
    git stash store -m "Kept of run $run" "$stash"
  done
  git reset -q --hard "$files"
  git reset -q "$head"
else
  git reset -q --hard "$base"
fi
name_gaps
`;

/** Exit code of `checkClone`: it is no clone any more. */
export const noClone = 3;

/**
 * Renews in a clone what may have moved, and removes locks of killed programs; nothing else runs in it. Arguments: folder,
 * objects, address.
 */
export const checkClone = `${signCommits}${nameGaps}
set -u
folder=$1 objects=$2 url=$3
cd -- "$folder" 2>/dev/null && [ -d .git ] && [ -d .git/objects ] && [ -f .git/HEAD ] || exit ${noClone}
find .git -name '*.lock' -type f -delete 2>/dev/null
timeout -k 1 20 head -c 4096 .git/HEAD 2>/dev/null | grep -qE '^(ref: *refs/|[0-9a-f]{40}$)' || exit ${noClone}
# Git opens no repository with settings that it does not know.
settings .git/config --get-regexp '^extensions\\.' 2>/dev/null | grep -qviE '^extensions\\.(worktreeConfig|partialClone|preciousObjects) ' && exit ${noClone}
# Its work would be elsewhere, where git may find nothing.
settings .git/config --get core.worktree >/dev/null 2>&1 && exit ${noClone}
[ -z "$objects" ] || { mkdir -p .git/objects/info && rm -rf .git/objects/info/alternates && printf '%s\\n' "$objects" >.git/objects/info/alternates; } || exit ${noClone}
settings .git/config --replace-all remote.origin.url "$url/shared" &&
  settings .git/config --replace-all remote.origin.pushurl "$url/kept" || exit ${noClone}
sign >/dev/null 2>&1 || exit ${noClone}
name_gaps
`;
