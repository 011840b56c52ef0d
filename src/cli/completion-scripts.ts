export type Shell = 'bash' | 'zsh' | 'fish';

/** Each asks the program itself for the candidates, so that a script never has to be renewed. */
const SCRIPTS: Record<Shell, string> = {
  bash: `# Completion of fisk for bash. In ~/.bashrc: source <(fisk completion bash)
_fisk() {
  local IFS=$'\\n'
  COMPREPLY=($(fisk --fisk-complete "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
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
