import { CommanderError } from 'commander';
import { UsageError } from '../errors.ts';
import type { CommandName } from './examples.ts';
import { buildProgram, type CommandContext, usage } from './program.ts';
import { renderError } from './render/errors.ts';
import { openTerminal, type Terminal } from './render/terminal.ts';
import { StoppedError } from './signals.ts';

/** How long a reader of stderr may hold up the end, in ms. */
const LAST_WORDS_MS = 2_000;

/** A command: resolves to the exit code, rejects with what went wrong (exit code 1). */
export type CommandModule = { run(context: CommandContext): Promise<number> };

/** Each command is loaded when it is used: none pays for what only another one needs. */
const commands: Record<CommandName, () => Promise<CommandModule>> = {
  serve: () => import('./commands/serve.ts'),
  mcp: () => import('./commands/mcp.ts'),
  discover: () => import('./commands/discover.ts'),
  call: () => import('./commands/call.ts'),
  info: () => import('./commands/info.ts'),
  completion: () => import('./commands/completion.ts'),
};

/**
 * Runs the command line and resolves to the exit code, with everything written out. Never rejects.
 * @param argv without the program's own name.
 */
export async function main(
  argv: readonly string[],
  terminal: Terminal = openTerminal(),
  env: NodeJS.ProcessEnv = process.env,
): Promise<number> {
  const exitCode = await dispatch(argv, terminal, env);
  // An answer waits for its reader. What is only told must not: a log reader that has stopped would hold the process.
  await Promise.all([terminal.out.flush(), terminal.err.flush(LAST_WORDS_MS)]);
  if (terminal.out.failure !== undefined) {
    terminal.err.write(renderError(terminal.out.failure, terminal.err.style));
    return exitCode || 1;
  }
  return exitCode;
}

async function dispatch(argv: readonly string[], terminal: Terminal, env: NodeJS.ProcessEnv): Promise<number> {
  let exitCode = 0;
  let current: CommandName | undefined;
  const program = buildProgram(terminal, async (name, invocation) => {
    current = name;
    const command = await commands[name]();
    exitCode = await command.run({ ...invocation, terminal, env });
  });

  if (beforeSeparator(argv).includes('--fisk-introspect')) {
    const { commandModel } = await import('./command-model.ts');
    terminal.out.line(JSON.stringify(commandModel(program)));
    return 0;
  }
  if (argv[0] === '--fisk-complete') {
    const [{ complete }, { lookup }] = await Promise.all([import('./complete.ts'), import('./lookup.ts')]);
    for (const candidate of await complete(program, argv.slice(1), lookup(env))) terminal.out.line(candidate);
    return 0;
  }
  if (argv.length === 0) {
    program.outputHelp();
    return 0;
  }

  try {
    await program.parseAsync([...argv], { from: 'user' });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError || error instanceof StoppedError) return error.exitCode;
    if (error instanceof UsageError) {
      const command = program.commands.find((candidate) => candidate.name() === current) ?? program;
      terminal.err.write(`${terminal.err.style.red('error:')} ${error.message}\n${usage(command)}\n`);
      return 1;
    }
    terminal.err.write(renderError(error, terminal.err.style));
    return 1;
  }
}

function beforeSeparator(argv: readonly string[]): readonly string[] {
  const separator = argv.indexOf('--');
  return separator < 0 ? argv : argv.slice(0, separator);
}
