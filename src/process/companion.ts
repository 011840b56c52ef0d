import { Socket } from 'node:net';
import type { ExitStatus } from '../native/index.ts';
import type { Child, StartSpec } from './child.ts';
import { endGroup } from './end.ts';
import { liveGroups } from './groups.ts';
import { type ProcessLog, silentLog } from './log.ts';
import { openPipes, type Pipe, startPiped } from './pipes.ts';
import { checkStartable } from './start-errors.ts';

/** A child that lives on beside this process, with a pipe for each stream. */
export interface Companion {
  readonly pid: number;
  readonly stdin: Socket;
  readonly stdout: Socket;
  readonly stderr: Socket;
  readonly exited: Promise<ExitStatus>;
  /** Ends its whole group: SIGTERM, one second later SIGKILL. Safe to call again, and after it has ended by itself. */
  end(): Promise<void>;
}

/**
 * Starts a companion. It does not keep this process alive by itself; its streams do while they are read.
 * @throws the failure to start, as a class that says which.
 */
export async function startCompanion(spec: StartSpec & { readonly log?: ProcessLog }): Promise<Companion> {
  checkStartable(spec.path, spec.args, spec.cwd);
  const [input, output, error] = openPipes(3) as [Pipe, Pipe, Pipe];
  const stdio = { stdin: input.read, stdout: output.write, stderr: error.write };
  const child = await startPiped(spec, [input, output, error], stdio, 0);
  return attach(child, input.write, output.read, error.read, spec.log ?? silentLog);
}

function attach(child: Child, stdin: number, stdout: number, stderr: number, log: ProcessLog): Companion {
  const companion = {
    pid: child.pid,
    stdin: new Socket({ fd: stdin, readable: false, writable: true }),
    stdout: new Socket({ fd: stdout, readable: true, writable: false }),
    stderr: new Socket({ fd: stderr, readable: true, writable: false }),
    exited: child.exited,
  };
  // A companion that ends in the middle of a write is told by `exited`, never by an unhandled error.
  for (const stream of [companion.stdin, companion.stdout, companion.stderr]) {
    stream.on('error', () => {});
  }
  const over = (): void => void liveGroups.delete(child);
  void child.exited.then(over);
  let ending: Promise<void> | undefined;
  return {
    ...companion,
    end: () => {
      ending ??= endGroup(child, log).then(over);
      return ending;
    },
  };
}
