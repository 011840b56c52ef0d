import type { Durations } from '../durations.ts';

/** How often the loop is looked at, in ms. Each look is a wake-up. */
const PERIOD_MS = 20;

/**
 * Adds to `delays` how late each turn of a timer is, which is how long whatever else happens then would have waited.
 * Node's own monitor keeps percentiles since its last reset and loses the delay during which it was reset; buckets that only
 * grow are what a scraper can add up. Returns the function that ends it. Keeps no process alive.
 */
export function watchLoop(delays: Durations): () => void {
  let before = performance.now();
  const timer = setInterval(() => {
    const now = performance.now();
    delays.add((now - before - PERIOD_MS) / 1_000);
    before = now;
  }, PERIOD_MS);
  timer.unref();
  return () => clearInterval(timer);
}
