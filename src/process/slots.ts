/** Gives a slot back. Calling it again does nothing. */
export type Release = () => void;

/** A bounded number of places for running commands. Whoever finds none is refused at once; nobody waits here. */
export class Slots {
  readonly limit: number;
  #inUse = 0;

  /** @param limit how many may be taken at a time, at least 1. */
  constructor(limit: number) {
    this.limit = limit;
  }

  get inUse(): number {
    return this.#inUse;
  }

  /** Takes a slot, or answers `undefined` when all are taken. */
  tryAcquire(): Release | undefined {
    if (this.#inUse >= this.limit) {
      return undefined;
    }
    this.#inUse++;
    let taken = true;
    return () => {
      if (taken) {
        taken = false;
        this.#inUse--;
      }
    };
  }
}
