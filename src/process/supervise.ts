import { CommandCancelledError } from '../errors.ts';
import type { ExitStatus } from '../native/index.ts';
import type { Child } from './child.ts';
import { startTimer } from './timer.ts';

/** Why a command is over: it ended by itself, or its time was up, or whoever asked for it no longer wants it. */
export type Ending = { readonly by: 'exit'; readonly status: ExitStatus } | { readonly by: 'timeout' | 'cancel' };

/** Throws CommandCancelledError for a command that nobody wants any more before it was started. */
export function checkWanted(path: string, signal: AbortSignal | undefined): void {
  if (signal?.aborted) {
    const nothing = { output: '', truncated: false };
    throw new CommandCancelledError(`${path} was not started: the call was cancelled before`, nothing);
  }
}

/**
 * Waits for a child to end, for its time to be up, or for the signal. It ends nothing itself. The pending timer keeps
 * this process alive for as long as the child runs.
 * @param timeoutMs time limit, counted from the start of the call; 0 = none.
 */
export function supervise(child: Child, timeoutMs: number, signal: AbortSignal | undefined): Promise<Ending> {
  return new Promise((resolve) => {
    const left = timeoutMs > 0 ? child.startedAt + timeoutMs - performance.now() : Number.POSITIVE_INFINITY;
    const timer = startTimer(Math.max(left, 0), () => settle({ by: 'timeout' }));
    const onAbort = (): void => settle({ by: 'cancel' });
    const settle = (ending: Ending): void => {
      timer.clear();
      signal?.removeEventListener('abort', onAbort);
      resolve(ending);
    };
    void child.exited.then((status) => settle({ by: 'exit', status }));
    if (signal?.aborted) {
      // A child that ended before it could be cancelled has a result; its exit settles first.
      queueMicrotask(onAbort);
    } else {
      signal?.addEventListener('abort', onAbort, { once: true });
    }
  });
}
