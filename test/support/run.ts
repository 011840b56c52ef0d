/** Child processes for tests: one that runs to its end, and one that lives on. Both die with the test process. */
import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { after } from 'node:test';
import { waitFor } from './wait.ts';

export interface RunOptions {
  /** The whole environment of the child; the test's own when absent. */
  env?: NodeJS.ProcessEnv;
  cwd?: string;
  /** Text for stdin, which is closed after it. Without it stdin is at its end from the start. */
  input?: string | Uint8Array;
  /** Milliseconds; 30 000 when absent. Past it the child is killed and the promise rejects. */
  timeout?: number;
}

export interface RunResult {
  /** Null when a signal ended it. */
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

const living = new Set<ChildProcess>();
const endAll = () => {
  for (const child of living) child.kill('SIGKILL');
};
process.on('exit', endAll);
// A test that failed before it stopped its children would otherwise keep its file running with their pipes.
if (process.env['NODE_TEST_CONTEXT'] !== undefined) after(endAll);
// The default action of these would skip the exit handlers and leave the children behind.
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => process.exit(1));

/** Starts a child that is killed when the test process ends, whatever way it ends short of SIGKILL. */
export function spawnOwned(command: string, args: readonly string[], options: SpawnOptions = {}): ChildProcess {
  const child = spawn(command, args, options);
  living.add(child);
  const forget = () => living.delete(child);
  child.once('exit', forget);
  child.once('error', forget);
  return child;
}

/** Runs a program to its end and gives its streams as text. Rejects when it cannot start or takes too long. */
export function run(command: string, args: readonly string[], options: RunOptions = {}): Promise<RunResult> {
  const timeout = options.timeout ?? 30_000;
  return new Promise((resolve, reject) => {
    const child = spawnOwned(command, args, { env: options.env, cwd: options.cwd, stdio: 'pipe' });
    const stdout: Buffer[] = [];
    const stderr: Buffer[] = [];
    const text = (chunks: Buffer[]) => Buffer.concat(chunks).toString();
    child.stdout?.on('data', (chunk: Buffer) => stdout.push(chunk));
    child.stderr?.on('data', (chunk: Buffer) => stderr.push(chunk));
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
      reject(
        new Error(`${command} ${args.join(' ')}: still running after ${timeout} ms\n${text(stdout)}${text(stderr)}`),
      );
    }, timeout);
    child.once('error', (error) => {
      clearTimeout(timer);
      reject(error);
    });
    child.once('close', (code, signal) => {
      clearTimeout(timer);
      resolve({ code, signal, stdout: text(stdout), stderr: text(stderr) });
    });
    // A child that never reads its input closes the pipe under us, which is no failure of the test.
    child.stdin?.on('error', () => {});
    child.stdin?.end(options.input ?? '');
  });
}

/** A program that lives on while the test talks to it. */
export interface Running {
  readonly pid: number;
  /** Everything printed so far. */
  stdout(): string;
  stderr(): string;
  /** Resolves with the first match in either stream; rejects with all output when it does not come in time (ms). */
  printed(pattern: RegExp, timeout?: number): Promise<RegExpExecArray>;
  /** Resolves when it has ended and its streams are closed. */
  readonly ended: Promise<RunResult>;
  /** Sends a signal (SIGTERM when absent) and waits for the end; SIGKILL follows after `timeout` ms (10 000). */
  stop(signal?: NodeJS.Signals, timeout?: number): Promise<RunResult>;
  kill(signal: NodeJS.Signals): void;
}

/** Starts a program with stdin at its end and gathers what it prints. */
export async function start(
  command: string,
  args: readonly string[],
  options: Omit<RunOptions, 'input' | 'timeout'> = {},
): Promise<Running> {
  const child = spawnOwned(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  const out: Buffer[] = [];
  const err: Buffer[] = [];
  child.stdout?.on('data', (chunk: Buffer) => out.push(chunk));
  child.stderr?.on('data', (chunk: Buffer) => err.push(chunk));
  const stdout = () => Buffer.concat(out).toString();
  const stderr = () => Buffer.concat(err).toString();
  let over = false;
  const ended = new Promise<RunResult>((resolve) => {
    child.once('close', (code, signal) => {
      over = true;
      resolve({ code, signal, stdout: stdout(), stderr: stderr() });
    });
  });
  await once(child, 'spawn');
  return {
    pid: child.pid ?? 0,
    stdout,
    stderr,
    ended,
    kill: (signal) => void child.kill(signal),
    printed: (pattern, timeout = 10_000) =>
      waitFor(
        () => {
          const match = pattern.exec(stdout()) ?? pattern.exec(stderr());
          if (match === null && over) throw new Error(`ended without printing ${pattern}:\n${stdout()}${stderr()}`);
          return match ?? undefined;
        },
        { timeout, what: () => `${pattern} in the output:\n${stdout()}${stderr()}` },
      ),
    async stop(signal = 'SIGTERM', timeout = 10_000) {
      child.kill(signal);
      const timer = setTimeout(() => child.kill('SIGKILL'), timeout);
      try {
        return await ended;
      } finally {
        clearTimeout(timer);
      }
    },
  };
}
