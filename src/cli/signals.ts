/** The signals that ask a command to stop. */
export type StopSignal = 'SIGINT' | 'SIGTERM';

const NUMBERS: Record<StopSignal, number> = { SIGINT: 2, SIGTERM: 15 };

/** What a shell reports for a program that the signal ended. */
export function exitCodeOf(signal: StopSignal): number {
  return 128 + NUMBERS[signal];
}

/**
 * Signals that follow the first one this closely, in ms, are the same wish: a Ctrl-C reaches a whole group of processes,
 * and a runner such as npm passes its own on to a child that already has it.
 */
const GESTURE_MS = 300;

/**
 * Calls `heard` for every wish to stop, in place of what the system would do. Returns the function that puts that back, once nothing of the last wish can still arrive.
 */
export function onStopSignals(heard: (signal: StopSignal) => void): () => void {
  let quietUntil = 0;
  const listeners = (Object.keys(NUMBERS) as StopSignal[]).map((signal) => {
    const listener = () => {
      if (performance.now() < quietUntil) return;
      quietUntil = performance.now() + GESTURE_MS;
      heard(signal);
    };
    process.on(signal, listener);
    return () => process.off(signal, listener);
  });
  const remove = () => {
    for (const removeOne of listeners) removeOne();
  };
  return () => {
    const left = quietUntil - performance.now();
    if (left > 0) setTimeout(remove, left).unref();
    else remove();
  };
}

/** The first wish to stop, for a command that ends at once. The second one ends the process by itself. */
export function firstStopSignal(): { readonly heard: Promise<StopSignal>; close(): void } {
  let close = () => {};
  const heard = new Promise<StopSignal>((resolve) => {
    close = onStopSignals((signal) => {
      close();
      resolve(signal);
    });
  });
  return { heard, close: () => close() };
}

/** Not a failure: somebody asked the command to stop, and it did. */
export class StoppedError extends Error {
  readonly exitCode: number;

  constructor(signal: StopSignal) {
    super(`stopped by ${signal}`);
    this.exitCode = exitCodeOf(signal);
  }
}

/**
 * Does work that has something to put in order when it is stopped: the first signal aborts it, the second one ends the
 * process by itself.
 * @throws {StoppedError} when a signal came, once the work has ended; else what the work throws.
 */
export async function stoppable<Result>(work: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
  const stop = firstStopSignal();
  const abort = new AbortController();
  let stopped: StopSignal | undefined;
  void stop.heard.then((signal) => {
    stopped = signal;
    abort.abort();
  });
  try {
    return await work(abort.signal);
  } catch (error) {
    throw stopped === undefined ? error : new StoppedError(stopped);
  } finally {
    stop.close();
  }
}
