import { Argument, Command } from 'commander';
import { CALL_EXIT_CODES, type CommandName, examples } from './examples.ts';
import {
  configFlag,
  contextFlag,
  Flag,
  jsonFlag,
  logFormatFlag,
  metricsFlag,
  noTelemetryFlag,
  serverFlag,
  verboseFlag,
} from './flags.ts';
import type { Terminal } from './render/terminal.ts';
import { version } from './version.ts';

/** One command as it was typed. */
export interface Invocation {
  readonly args: readonly (string | readonly string[] | undefined)[];
  readonly flags: Flags;
  /** True when the flag stands on the command line, false when it has its default. */
  typed(flag: keyof Flags): boolean;
}

/** What a command gets. */
export interface CommandContext extends Invocation {
  readonly terminal: Terminal;
  readonly env: NodeJS.ProcessEnv;
}

/** Every flag of every command. A switch is there only when it was typed. */
export interface Flags {
  readonly config: string;
  readonly context?: string;
  readonly server?: string;
  readonly json?: true;
  readonly timeout?: string;
  readonly color: boolean;
  readonly check?: true;
  readonly dev?: true;
  readonly stdio?: true;
  readonly describe?: true;
  readonly registryName?: string;
  /** As it was typed; the configuration judges it. */
  readonly port?: string;
  readonly address?: string;
  /** As it was typed; the configuration judges it. */
  readonly workers?: string;
  readonly stateDir?: string;
  readonly workDir?: string;
  readonly apiKey?: string;
  readonly baseUrl?: string;
  readonly telemetry: boolean;
  readonly verbose?: true;
  readonly logFormat?: 'json' | 'text';
  readonly metricsAddress?: string;
  readonly drainTimeout: string;
}

/** Runs one command. */
export type Runner = (name: CommandName, invocation: Invocation) => Promise<void>;

const SERVING = 'Serve:';
const CALLING = 'Ask and call:';
const SHELL = 'Shell:';
/** Flags that are checked, so that a command line can be written once. */
const LATER = 'For runs and jobs, which this version does not host yet:';

/**
 * The whole command line: what may be typed, its help and its errors. Parsing throws commander's own error when the
 * command line is wrong or when help was asked for; by then everything is printed.
 */
export function buildProgram(terminal: Terminal, run: Runner): Command {
  const program = new Command('fisk')
    .description('Turns any fisk command-line application into tools that agents can use safely.')
    .version(version, '--version', 'print the version')
    .helpOption('-h, --help', 'print help; also after a command')
    .helpCommand('help [command]', 'print help for a command')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => terminal.out.write(text),
      writeErr: (text) => terminal.err.write(text),
      getOutHelpWidth: () => helpWidth(process.stdout.columns),
      getErrHelpWidth: () => helpWidth(process.stderr.columns),
    })
    .configureHelp({
      styleTitle: (title) => terminal.out.style.bold(title),
      subcommandTerm: (command) => [command.name(), ...command.registeredArguments.map(argumentTerm)].join(' '),
      sortOptions: false,
    });
  program.commandsGroup(SHELL).helpCommand(true);

  const add = (name: CommandName, group: string, summary: string, description: string): Command => {
    const command = program
      .command(name)
      .helpGroup(group)
      .summary(summary)
      .description(description)
      .addHelpText('after', () => `\n${terminal.out.style.bold('Examples:')}\n${examples(name)}`);
    command.action(async () => {
      const typed = (flag: keyof Flags) => command.getOptionValueSource(flag) === 'cli';
      await run(name, { args: command.processedArgs, flags: command.opts(), typed });
    });
    return command;
  };

  add(
    'serve',
    SERVING,
    'serve the tools of an application over NATS',
    'Serves the commands of the configured application to other agents over NATS.',
  )
    .addOption(configFlag())
    .addOption(new Flag('--check', 'check the file, show what would be served, and leave'))
    .addOption(new Flag('--dev', 'try it out: start a private NATS server when none is configured'))
    .addOption(serverFlag('NATS server in place of a context; with --dev'))
    .addOption(new Flag('--work-dir <dir>', 'where commands of hosted runs run', 'directory').helpGroup(LATER))
    .addOption(new Flag('--state-dir <dir>', 'where hosted runs keep their journals', 'directory').helpGroup(LATER))
    .addOption(new Flag('--workers <n>', 'queued jobs taken at once; not tool calls', 'integer').helpGroup(LATER))
    .addOption(new Flag('--api-key <key>', 'model provider key ($ANTHROPIC_API_KEY)', 'text').helpGroup(LATER))
    .addOption(new Flag('--base-url <url>', 'model provider ($ANTHROPIC_BASE_URL)', 'text').helpGroup(LATER))
    .addOption(
      new Flag('--drain-timeout <duration>', 'how long leaving may take; no command is waited for', 'text')
        .default('60s')
        .helpGroup('Leave:'),
    )
    .addOption(metricsFlag())
    .addOption(logFormatFlag())
    .addOption(verboseFlag())
    .addOption(noTelemetryFlag());

  add(
    'mcp',
    SERVING,
    'serve the tools of an application to MCP clients',
    'Serves the commands of the configured application to MCP clients over HTTP, or to the one that started it over ' +
      'its standard streams. What needs an approval is asked of the person at the client.',
  )
    .addOption(configFlag())
    .addOption(new Flag('--stdio', 'serve the client that started this, over standard input and output'))
    .addOption(new Flag('--port <port>', 'port to listen on, else 8080 ($FISK_AI_MCP_PORT)', 'integer'))
    .addOption(new Flag('--address <host>', 'address to listen on, else loopback ($FISK_AI_MCP_ADDRESS)', 'text'))
    .addOption(new Flag('--check', 'check the file, show what would be served, and leave'))
    .addOption(new Flag('--describe', 'print server.json and configurations of clients as JSON, and leave'))
    .addOption(new Flag('--registry-name <name>', 'with --describe: its name, e.g. io.github.someone/depot', 'text'))
    .addOption(metricsFlag())
    .addOption(logFormatFlag())
    .addOption(verboseFlag())
    .addOption(noTelemetryFlag());

  add(
    'discover',
    CALLING,
    'list the agents, or show the card of one, or one of its tools',
    'Lists the agents that answer, or shows the card of one with the tools that it serves, or what one of those tools ' +
      'does and takes.',
  )
    .argument('[agent]', 'identity of the agent; without it all are listed')
    .argument('[tool]', 'name of one of its tools, to see its arguments')
    .addOption(configFlag())
    .addOption(contextFlag())
    .addOption(serverFlag())
    .addOption(jsonFlag());

  add(
    'call',
    CALLING,
    'call a tool of an agent',
    'Calls a tool that another agent serves. The output of the command goes to stdout, its exit code is ours.\n\n' +
      'Arguments are one JSON object, or - to read it from stdin, or words: name=text, name:=JSON; a name that is ' +
      'repeated makes a list.',
  )
    .argument('<agent>', 'identity of the agent')
    .argument('<tool>', 'name of the tool, as discover shows it')
    .argument('[arguments...]', 'JSON object, -, or name=value words')
    .addOption(configFlag())
    .addOption(contextFlag())
    .addOption(serverFlag())
    .addOption(new Flag('--timeout <duration>', 'give up after this long, e.g. 90s or 5m', 'text'))
    .addOption(jsonFlag())
    .addHelpText('after', () => `\n${terminal.out.style.bold('Exit codes:')}\n${CALL_EXIT_CODES}`)
    .configureOutput({ outputError: (text, write) => write(text + argumentHint(text, rawArguments(program))) });

  add(
    'info',
    SERVING,
    'show what a configuration amounts to',
    'Shows what a configuration amounts to: its tools, what is served, what is not, and why.',
  )
    .addOption(configFlag())
    .addOption(serverFlag('NATS server for looking at the remote agents of the file'))
    .addOption(new Flag('--no-color', 'no emphasis ($NO_COLOR)'))
    .addOption(jsonFlag());

  add(
    'completion',
    SHELL,
    'print the completion script of a shell',
    'Prints a script that completes commands, flags, agents and tools in your shell.',
  ).addArgument(new Argument('<shell>', 'bash, zsh or fish').choices(['bash', 'zsh', 'fish']));

  program.addHelpText('after', () => `\n${terminal.out.style.bold('Examples:')}\n${examples('fisk')}`);
  for (const command of [program, ...program.commands]) command.showHelpAfterError(usage(command));
  return program;
}

/** Every word that was typed; commander keeps it and does not declare it. */
function rawArguments(program: Command): readonly string[] {
  return (program as Command & { readonly rawArgs?: readonly string[] }).rawArgs ?? [];
}

/** Whoever types an argument of a tool as a flag is shown the word that it should have been. */
function argumentHint(error: string, typed: readonly string[]): string {
  const flag = /^error: unknown option '(--?[^']+)'/.exec(error)?.[1];
  if (flag === undefined) return '';
  const next = typed[typed.indexOf(flag) + 1];
  const value = next === undefined || next.startsWith('-') || next.includes('=') ? 'true' : next;
  const word = flag.replace(/^-+/, '') + (flag.includes('=') ? '' : `=${value}`);
  return `An argument of the tool is a word without dashes: ${/^[\w.,:/=@+-]+$/.test(word) ? word : `'${word}'`}\n`;
}

/** The usage line and the way to the help, as they follow an error of the command line. */
export function usage(command: Command): string {
  const help = command.createHelp();
  return `\nUsage: ${help.commandUsage(command)}\nRun '${fullName(command)} --help' to see what it takes.`;
}

function fullName(command: Command): string {
  return command.parent ? `${fullName(command.parent)} ${command.name()}` : command.name();
}

function argumentTerm(argument: Argument): string {
  const name = argument.variadic ? `${argument.name()}...` : argument.name();
  return argument.required ? `<${name}>` : `[${name}]`;
}

/** Lines of help longer than this tire the eye, however wide the terminal is. */
function helpWidth(terminalColumns: number | undefined): number {
  return Math.min(terminalColumns ?? 80, 96);
}
