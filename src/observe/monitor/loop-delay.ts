import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Durations } from '../durations.ts';

/** How often the loop is looked at, in ms. Each look is a wake-up, and what is shorter is not seen. */
const RESOLUTION_MS = 20;
const PERIOD_MS = 1_000;

/** Adds the longest delay of each second to `delays`. Returns the function that ends it. Keeps no process alive. */
export function watchLoop(delays: Durations): () => void {
  const seen = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  seen.enable();
  const timer = setInterval(() => {
    // What is recorded is the time between two looks.
    if (seen.count > 0) delays.add((seen.max / 1e6 - RESOLUTION_MS) / 1_000);
    seen.reset();
  }, PERIOD_MS);
  timer.unref();
  return () => {
    clearInterval(timer);
    seen.disable();
  };
}
