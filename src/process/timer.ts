/** The longest delay a timer takes; a longer one would fire at once. */
const MAX_DELAY_MS = 2 ** 31 - 1;

/**
 * Milliseconds of the clock that all processes share until the machine starts anew and that nobody can set, unlike that
 * of `Date`; CLOCK_MONOTONIC.
 */
export function monotonicMs(): number {
  return Number(process.hrtime.bigint() / 1_000_000n);
}

/** A one-shot timer of any length that keeps the process alive while it is pending. */
export interface LongTimer {
  clear(): void;
  /** Lets the process end although the timer is pending. */
  unref(): void;
}

/** Calls `fire` after `delayMs`. Infinity never fires, yet still keeps the process alive until it is cleared. */
export function startTimer(delayMs: number, fire: () => void): LongTimer {
  const end = performance.now() + delayMs;
  let timer: NodeJS.Timeout;
  let referenced = true;
  const arm = (leftMs: number): void => {
    timer =
      leftMs > MAX_DELAY_MS ? setTimeout(() => arm(end - performance.now()), MAX_DELAY_MS) : setTimeout(fire, leftMs);
    if (!referenced) {
      timer.unref();
    }
  };
  arm(delayMs);
  return {
    clear: () => clearTimeout(timer),
    unref: () => {
      referenced = false;
      timer.unref();
    },
  };
}
