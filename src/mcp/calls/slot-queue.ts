import type { Release, Slots } from '../../process/index.ts';
import type { Bounds } from './bounds.ts';

/** Hands slots to those who wait for one, first come, first served. */
export class SlotQueue {
  readonly #slots: Slots;
  readonly #bounds: Bounds;
  readonly #waiting = new Set<(release: Release) => void>();

  constructor(slots: Slots, bounds: Bounds) {
    this.#slots = slots;
    this.#bounds = bounds;
  }

  /**
   * Takes a slot, waiting for one if need be. Answers `undefined` at once when too many wait already. Rejects with the
   * reason of the signal when it fires first.
   */
  acquire(client: string, signal: AbortSignal): Promise<Release> | undefined {
    const release = this.#waiting.size === 0 ? this.#slots.tryAcquire() : undefined;
    if (release !== undefined) return Promise.resolve(this.#handedOn(release));
    const place = this.#bounds.tryTake(client);
    return place && this.#wait(signal).finally(place);
  }

  #wait(signal: AbortSignal): Promise<Release> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) {
        reject(signal.reason);
        return;
      }
      const leave = () => {
        this.#waiting.delete(served);
        reject(signal.reason);
      };
      const served = (release: Release) => {
        signal.removeEventListener('abort', leave);
        resolve(release);
      };
      this.#waiting.add(served);
      signal.addEventListener('abort', leave, { once: true });
    });
  }

  /** A slot that goes to whoever waits longest when it is given back. */
  #handedOn(release: Release): Release {
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      release();
      const [next] = this.#waiting;
      const slot = next && this.#slots.tryAcquire();
      if (next === undefined || slot === undefined) return;
      this.#waiting.delete(next);
      next(this.#handedOn(slot));
    };
  }
}
