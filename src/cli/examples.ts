export type CommandName = 'serve' | 'mcp' | 'discover' | 'call' | 'info' | 'completion';

const EXAMPLES: Record<CommandName | 'fisk', readonly (readonly [command: string, why: string])[]> = {
  fisk: [
    ['fisk serve --dev --config agent.yaml', 'try it out'],
    ['fisk discover depot --context local', 'what does it offer?'],
    ['fisk call depot part_add name=bolt --context local', 'call a tool'],
  ],
  serve: [
    ['fisk serve --config agent.yaml', 'serve until told to stop'],
    ['fisk serve --check', 'would it start, and what would it serve?'],
    ['fisk serve --dev', 'no NATS at hand: start a private server'],
  ],
  mcp: [
    ['fisk mcp --stdio --config agent.yaml', 'what a client is configured to start'],
    ['fisk mcp --port 8080', 'over HTTP, for clients of this machine'],
    ['fisk mcp --check', 'would it start, and what would it serve?'],
    ['fisk mcp --describe | jq .clients.cursor.stdio', 'what to paste into a client'],
  ],
  discover: [
    ['fisk discover --context local', 'who is there?'],
    ['fisk discover depot --context local', 'the card of one agent'],
    ['fisk discover depot part_add', 'what one of its tools does and takes'],
    ['fisk discover depot --json | jq .tools', 'for scripts'],
  ],
  call: [
    ['fisk call depot part_add name=bolt count=5', 'arguments as words'],
    [`fisk call depot part_add '{"name": "bolt"}'`, 'arguments as JSON'],
    ['fisk call depot part_add - < part.json', 'arguments from stdin'],
    ['fisk call depot part_add name=bolt labels:=\'["a","b"]\'', 'one argument as JSON'],
  ],
  info: [
    ['fisk info --config agent.yaml', 'the whole picture'],
    ["fisk info --json | jq '.tools[].name'", 'for tests of a configuration'],
  ],
  completion: [
    ['source <(fisk completion bash)', 'in ~/.bashrc'],
    ['source <(fisk completion zsh)', 'in ~/.zshrc'],
    ['fisk completion fish | source', 'in config.fish'],
  ],
};

/** The examples of a command for the end of its help. */
export function examples(name: CommandName | 'fisk'): string {
  const list = EXAMPLES[name];
  const width = Math.max(...list.map(([command]) => command.length));
  return list.map(([command, why]) => `  ${command.padEnd(width)}  # ${why}`).join('\n');
}

/** What the exit codes of `call` mean, for the end of its help. */
export const CALL_EXIT_CODES = `  the command's own when one ran, 255 when a signal ended it; else
  65  arguments refused, or no such tool    75   busy, leaving, or interrupted
  69  nobody answers                        124  too late, or silence
  70  the tool failed before a command ran  130  stopped by Ctrl-C
  1   usage, configuration, anything else

  After 75 try again later, but not after [interrupted]: the command had begun,
  and what became of it is not known. Repeat such a call only if the tool is
  read-only or idempotent.`;
