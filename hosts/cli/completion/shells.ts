/** The hidden command that a shell's completion script runs. */
export const completeWord = "__complete";

export const shells = ["bash", "zsh", "fish"] as const;
export type Shell = (typeof shells)[number];

/** The script that a shell reads. It offers what `boardroom __complete` prints, and evaluates nothing of it. */
export const scriptOf: Readonly<Record<Shell, string>> = {
  bash: `_boardroom() {
  local value rest
  COMPREPLY=()
  while IFS=$'\\t' read -r value rest; do
    printf -v value %q "$value"
    COMPREPLY+=("$value")
  done < <("$1" ${completeWord} bash "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
  [[ \${#COMPREPLY[@]} -eq 1 && \${COMPREPLY[0]} == */ ]] && compopt -o nospace
  return 0
}
complete -F _boardroom boardroom
`,
  zsh: `#compdef boardroom
_boardroom() {
  local line
  local -a values meanings folders
  while IFS= read -r line; do
    if [[ \${line%%$'\\t'*} == */ ]]; then
      folders+=("\${line%%$'\\t'*}")
    else
      values+=("\${line%%$'\\t'*}")
      meanings+=("\${line/$'\\t'/  }")
    fi
  done < <("\${(Q)words[1]}" ${completeWord} zsh "\${(@Q)words[2,CURRENT]}" 2>/dev/null)
  (( \${#folders} )) && compadd -S '' -a folders
  (( \${#values} )) && compadd -l -d meanings -a values
}
if [ "\${funcstack[1]}" = "_boardroom" ]; then _boardroom "$@"; else compdef _boardroom boardroom; fi
`,
  fish: `function __boardroom_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    $words[1] ${completeWord} fish $words[2..-1] "$current" 2>/dev/null
end
complete -c boardroom -f -a '(__boardroom_complete)'
`,
};
