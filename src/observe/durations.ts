/** How long things took, in seconds, gathered in buckets as Prometheus has them. */
export class Durations {
  /** Upper bounds in seconds, ascending. What is above the last counts in {@link count} alone. */
  readonly bounds: readonly number[];
  /** How many fell between a bound and the one before it. */
  readonly counts: number[];
  count = 0;
  sum = 0;

  constructor(bounds: readonly number[]) {
    this.bounds = bounds;
    this.counts = bounds.map(() => 0);
  }

  /** A clock that went backwards gives no negative durations. */
  add(seconds: number): void {
    const value = Math.max(0, seconds);
    this.count++;
    this.sum += value;
    const at = this.bounds.findIndex((bound) => value <= bound);
    if (at >= 0) this.counts[at] = (this.counts[at] ?? 0) + 1;
  }
}

/** For commands: 5 ms to 10 minutes. */
export const CALL_BOUNDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600];
/** For starting a process: half a millisecond to 2.5 seconds. */
export const SPAWN_BOUNDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5];
/** For delays of the event loop: one millisecond to ten seconds. */
export const DELAY_BOUNDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
