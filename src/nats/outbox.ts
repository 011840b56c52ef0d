/**
 * What falls due in one turn of the event loop leaves together at its end. The client writes to its socket after every
 * callback; with several calls under way, one write for all of a turn saves most of these system calls, and as many on
 * the server. Nothing waits for longer than the turn.
 */
export class Outbox {
  #waiting: (() => void)[] = [];
  #emptied: PromiseWithResolvers<void> | undefined;

  /** @param send hands one message to the client. Must not throw. */
  add(send: () => void): void {
    if (this.#waiting.push(send) === 1) setImmediate(() => this.empty());
  }

  /** Hands over all that waits, in the order in which it came. */
  empty(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const send of waiting) send();
    this.#emptied?.resolve();
    this.#emptied = undefined;
  }

  /** Resolves when nothing waits, and the client has written what did. */
  async emptied(): Promise<void> {
    if (this.#waiting.length === 0) return;
    this.#emptied ??= Promise.withResolvers();
    // The client writes in the first microtask after it was given something; this comes behind it.
    await this.#emptied.promise;
  }
}
