export type Shell = 'bash' | 'zsh' | 'fish';

/** Each asks the program itself for the candidates, so that a script never has to be renewed. */
const SCRIPTS: Record<Shell, string> = {
  bash: `# Completion of fisk for bash. In ~/.bashrc: source <(fisk completion bash)
# The shell ends words at characters such as : and = too, and wants back only what stands behind the last of them.
_fisk() {
  local rest="\${COMP_LINE:0:COMP_POINT}" blanks word i behind
  local -a words=()
  for ((i = 0; i <= COMP_CWORD; i++)); do
    blanks="\${rest%%[![:space:]]*}"
    rest="\${rest#"$blanks"}"
    word="\${COMP_WORDS[i]}"
    ((i == COMP_CWORD)) && word="$rest"
    rest="\${rest#"$word"}"
    if [[ i -eq 0 || -n $blanks ]]; then words+=("$word"); else words[-1]+="$word"; fi
  done
  word="\${words[-1]}"
  behind="\${word##*[$COMP_WORDBREAKS]}"
  mapfile -t COMPREPLY < <(fisk --fisk-complete "\${words[@]:1}" 2>/dev/null)
  COMPREPLY=("\${COMPREPLY[@]#"\${word%"$behind"}"}")
  [[ \${#COMPREPLY[@]} -eq 1 && ( \${COMPREPLY[0]} == *= || \${COMPREPLY[0]} == */ ) ]] && compopt -o nospace
}
complete -F _fisk fisk
`,
  zsh: `#compdef fisk
# Completion of fisk for zsh. In ~/.zshrc, after compinit: source <(fisk completion zsh)
_fisk() {
  local -a candidates
  candidates=("\${(@f)$(fisk --fisk-complete "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  compadd -S '' -- \${(M)candidates:#*[=/]}
  compadd -- \${candidates:#*[=/]}
}
compdef _fisk fisk
`,
  fish: `# Completion of fisk for fish. In config.fish: fisk completion fish | source
function __fisk_complete
  set -l words (commandline -opc)
  set -l current (commandline -ct)
  fisk --fisk-complete $words[2..-1] "$current" 2>/dev/null
end
complete -c fisk -f -a '(__fisk_complete)'
`,
};

export function completionScript(shell: Shell): string {
  return SCRIPTS[shell];
}
