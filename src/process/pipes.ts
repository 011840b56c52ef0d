import { closeQuietly, makePipe } from '../native/index.ts';
import { type Child, type StartSpec, type Stdio, startChild } from './child.ts';
import { pipeError } from './start-errors.ts';

/** Both ends of a kernel pipe, as descriptors of this process. */
export interface Pipe {
  readonly read: number;
  readonly write: number;
}

/**
 * Pipes for a child that is about to be started.
 * @throws the failure to start, as a class that says which. No descriptor is left open then.
 */
export function openPipes(count: number): Pipe[] {
  const pipes: Pipe[] = [];
  while (pipes.length < count) {
    const pipe = makePipe();
    if ('errno' in pipe) {
      closeQuietly(...ends(pipes));
      throw pipeError(pipe.errno);
    }
    pipes.push(pipe);
  }
  return pipes;
}

/**
 * Starts a child on pipes. The ends that it is given are no longer open here, since a pipe that we could write to as
 * well would never end.
 * @throws as `startChild`; all of the pipes are closed then.
 */
export async function startPiped(
  spec: StartSpec,
  pipes: readonly Pipe[],
  stdio: Stdio,
  timeoutMs: number,
): Promise<Child> {
  const given: (number | null)[] = [stdio.stdin, stdio.stdout, stdio.stderr];
  try {
    const child = await startChild(spec, stdio, timeoutMs);
    closeQuietly(...ends(pipes).filter((end) => given.includes(end)));
    return child;
  } catch (error) {
    closeQuietly(...ends(pipes));
    throw error;
  }
}

const ends = (pipes: readonly Pipe[]): number[] => pipes.flatMap(({ read, write }) => [read, write]);
