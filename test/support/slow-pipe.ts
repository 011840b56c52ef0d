/** A real pipe as the standard error of a program, with a reader that is as slow as a test needs it. */
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, openSync, readSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { spawnOwned } from './run.ts';
import { tempDir } from './tmp.ts';
import { waitFor } from './wait.ts';

export interface IntoPipe {
  readonly pid: number;
  /** What was read so far, without what only filled the pipe. */
  text(): string;
  /** Reads all that there is, again and again, until the pattern is found. */
  printed(pattern: RegExp): Promise<void>;
  /** Fills the pipe to the brim, so that nothing more can be written until somebody reads. */
  fill(): void;
  /** Reads one page every `everyMs`, for the first time after `afterMs`. */
  readSlowly(everyMs: number, afterMs: number): void;
  /** Resolves to the exit code when the program has ended, and everything that it had written was read. */
  readonly ended: Promise<number | null>;
}

const PAGE = 4_096;
const FILLING = '~';

/** Starts a program with its standard error on such a pipe. Nobody reads until it is asked for. */
export function startIntoPipe(program: string, args: readonly string[]): IntoPipe {
  const path = join(tempDir(), 'pipe');
  execFileSync('mkfifo', [path]);
  const ours = openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
  const theirs = openSync(path, constants.O_WRONLY);
  const child = spawnOwned(program, args, { stdio: ['ignore', 'ignore', theirs] });
  closeSync(theirs);
  let text = '';
  let timer: NodeJS.Timeout | undefined;
  const page = Buffer.alloc(PAGE);
  /** False when there was nothing. */
  const read = (): boolean => {
    try {
      text += page.toString('utf8', 0, readSync(ours, page)).replaceAll(FILLING, '');
      return true;
    } catch {
      return false;
    }
  };
  const readAll = () => {
    while (read());
  };
  const ended = once(child, 'exit').then(([code]) => {
    clearInterval(timer);
    readAll();
    closeSync(ours);
    return code as number | null;
  });
  return {
    pid: child.pid ?? 0,
    text: () => text,
    printed: async (pattern) => {
      const found = () => {
        readAll();
        return pattern.test(text);
      };
      await waitFor(found, { timeout: 30_000, every: 20, what: () => `${pattern} in:\n${text}` });
    },
    fill: () => {
      try {
        for (;;) writeSync(ours, FILLING.repeat(PAGE));
      } catch {
        // Full.
      }
    },
    readSlowly: (everyMs, afterMs) => {
      timer = setTimeout(() => {
        timer = setInterval(read, everyMs);
      }, afterMs);
    },
    ended,
  };
}
