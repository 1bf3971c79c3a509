/**
 * Functions of a shell that read a git directory of agents as bounded files. Git itself never gets it, because its settings
 * name programs to start. They need `top`, the folder that nothing may lead out of, and `t`, a folder to write in; they leave
 * only variables of their own.
 */
export const readGitDir = `
# At most so many bytes of a regular file.
text() { [ -f "$1" ] && ! [ -L "$1" ] && timeout -k 1 20 head -c "$2" "$1" 2>/dev/null; }
# The folder that a path leads to, from the folder before it, if it is below the top.
inside() {
  case $2 in '') return 1 ;; /*) _path=$2 ;; *) _path=$1/$2 ;; esac
  _path=$(cd "$_path" 2>/dev/null && pwd -P) || return 1
  case $_path in "$top"/*) printf '%s' "$_path" ;; *) return 1 ;; esac
}
git_dir_of() {
  if [ -d "$1/.git" ]; then inside "$1" .git; else inside "$1" "$(text "$1/.git" 4096 | sed -n '1s/^gitdir: //p')"; fi
}
# Where the branches are: of a linked worktree in another folder.
common_dir_of() { if [ -e "$1/commondir" ]; then inside "$1" "$(text "$1/commondir" 4096)"; else printf '%s' "$1"; fi; }
head_in() { if [ -L "$1/HEAD" ]; then printf 'ref: %s' "$(readlink "$1/HEAD")"; else text "$1/HEAD" 4096 | head -n 1; fi; }
# Lines of id and ref, and of HEAD, by name. Arguments: the git directory and the common one.
refs_in() {
  {
    printf 'HEAD %s\\n' "$(head_in "$1")"
    (cd "$2" 2>/dev/null && find refs -type f -size -2 2>/dev/null | sort | head -n 20000 | while IFS= read -r _ref; do
      _id=; IFS= read -r _id 2>/dev/null <"$_ref" || [ -n "$_id" ] && printf '%s %s\\n' "$_ref" "$_id"
    done)
    text "$2/packed-refs" 67108864 | sed -n 's/^\\([0-9a-f]*\\) \\(refs\\/.*\\)/\\2 \\1/p'
  } | awk '
    !($1 in value) { value[$1] = substr($0, length($1) + 2) }
    END {
      for (name in value) {
        id = value[name]
        for (n = 0; n < 5 && sub(/^ref: */, "", id); n++) { sub(/[ \\t\\r]+$/, "", id); id = value[id] }
        if (length(id) == 40 && id !~ /[^0-9a-f]/) print id, name
      }
    }' | sort -k 2
}
# Objects alone, without the alternates that agents name. A pipe among them would hold git up.
link_objects() {
  mkdir -p "$2"
  [ -d "$1" ] && ! [ -L "$1" ] && [ -z "$(timeout -k 1 60 find "$1" ! -type f ! -type d 2>/dev/null | head -n 1)" ] || return 0
  for _each in "$1"/pack "$1"/[0-9a-f][0-9a-f]; do [ ! -d "$_each" ] || ln -s "$_each" "$2/"; done
}
# A pipe in place of these files, which git opens, would hold it up. It holds nothing. Prints what is removed.
remove_pipes() { find . \\( -name .gitignore -o -name .gitattributes \\) -type p -print -delete 2>/dev/null | sed 's|^[.]/||'; }
# Makes \`$1/git\`, a git directory of this step's own, for the folder \`$2\` with the git directories \`$3\` and \`$4\` (empty: none).
open_git() {
  unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE GIT_OBJECT_DIRECTORY GIT_ALTERNATE_OBJECT_DIRECTORIES
  mkdir -p "$1" && git init -q --bare --template= "$1/git" || return 1
  mkdir -p "$1/git/info"
  echo '* -filter' >"$1/git/info/attributes"
  mkdir -p "$1/theirs"
  if [ -n "$3" ]; then
    link_objects "$4/objects" "$1/theirs"
    text "$4/info/exclude" 1048576 >"$1/git/info/exclude"
    text "$3/index" 1073741824 >"$1/index"
  fi
  [ -s "$1/index" ] || rm -f "$1/index"
  export GIT_DIR=$1/git GIT_WORK_TREE=$2 GIT_OBJECT_DIRECTORY=$1/git/objects GIT_INDEX_FILE=$1/index
  export GIT_ALTERNATE_OBJECT_DIRECTORIES=$1/theirs\${SHARED_OBJECTS:+:$SHARED_OBJECTS}
}
g() {
  git -c core.bare=false -c core.hooksPath=/dev/null -c core.untrackedCache=false -c core.splitIndex=false -c core.fsmonitor=false \\
    -c core.quotePath=true -c core.sparseCheckout=true -c core.attributesFile=/dev/null -c core.excludesFile=/dev/null \\
    -c protocol.allow=never -c protocol.http.allow=always -c protocol.https.allow=always -c credential.helper= \\
    -c diff.ignoreSubmodules=all -c submodule.recurse=false -c push.recurseSubmodules=no -c push.gpgSign=false -c gc.auto=0 "$@"
}
`;
