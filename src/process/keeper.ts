import { closeSync, existsSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { closeQuietly, makePipe, packStrings, spawnProcess, startsSettled } from '../native/index.ts';
import { type LiveGroup, liveGroups } from './groups.ts';
import type { ProcessLog } from './log.ts';
import { readEntry } from './proc.ts';
import { monotonicMs } from './timer.ts';

/** A running command as it is handed over to the keeper. */
export interface KeptCommand {
  readonly group: number;
  /** Start time of the group's leader in clock ticks since boot; empty when the leader is gone already. */
  readonly start: string;
  /** When the command began and when it must be over by the clock of `monotonicMs`; 0 = no bound. */
  readonly startedAt: number;
  readonly deadline: number;
  readonly mark: string;
  /** The descriptor of its output, as the keeper inherits it. */
  readonly output: number;
}

/**
 * Hands the commands that run now to a process which outlives this one and ends each at its deadline. It also reads on
 * what they write, since they would die of it otherwise. To be called once, right before this process ends.
 * @returns how many commands are kept. A keeper that cannot be started is logged, and they run on without a deadline.
 */
export async function keepDeadlines(log: ProcessLog): Promise<number> {
  await startsSettled();
  const commands = (await Promise.all([...liveGroups].map(handOver))).filter((command) => command !== undefined);
  if (commands.length === 0) {
    return 0;
  }
  const failure = await startKeeper(commands);
  if (failure !== undefined) {
    log.warn(
      { commands: commands.length, error: failure },
      'no keeper could be started; commands run on without a deadline',
    );
    return 0;
  }
  const seconds_left = commands.map(({ deadline }) => (deadline === 0 ? null : secondsUntil(deadline)));
  log.info({ commands: commands.length, seconds_left }, 'a keeper ends the commands that run on at their deadlines');
  return commands.length;
}

function secondsUntil(deadline: number): number {
  return Math.max(0, Math.round((deadline - monotonicMs()) / 1_000));
}

async function handOver(group: LiveGroup): Promise<KeptCommand | undefined> {
  if (group.output === undefined) {
    return undefined;
  }
  const leader = await readEntry(group.pid);
  return {
    group: group.pid,
    start: leader?.start ?? '',
    startedAt: Math.round(monotonicMs() - (performance.now() - group.startedAt)),
    deadline: group.deadline,
    mark: group.mark,
    output: group.output,
  };
}

/** Why it could not be started, if it could not. */
async function startKeeper(commands: readonly KeptCommand[]): Promise<string | undefined> {
  const pipe = makePipe();
  if ('errno' in pipe) {
    return `errno ${pipe.errno}`;
  }
  // It says nothing: whoever reads our log hears its end when we leave, and not when the last command does.
  const nowhere = openSync('/dev/null', 'w');
  const outcome = await spawnProcess({
    path: process.execPath,
    // The number is for people who look at the processes of a machine.
    argv: [process.execPath, keeperScript(), `--left-by=${process.pid}`],
    // It needs no variable, and what ours hold is not its business.
    environment: packStrings([]),
    variables: [],
    cwd: '/',
    stdin: pipe.read,
    stdout: nowhere,
    stderr: nowhere,
    session: { keep: commands.map((command) => command.output) },
  });
  closeQuietly(pipe.read, nowhere);
  try {
    if (!('pid' in outcome)) {
      return `errno ${outcome.errno}`;
    }
    writeSync(pipe.write, JSON.stringify(commands));
    return undefined;
  } catch (error) {
    return String(error);
  } finally {
    closeSync(pipe.write);
  }
}

/** Beside the built program, or beside this file when it runs from its source. */
function keeperScript(): string {
  const built = join(import.meta.dirname, '..', 'keeper.js');
  return existsSync(built) ? built : join(import.meta.dirname, 'keeper-main.ts');
}
