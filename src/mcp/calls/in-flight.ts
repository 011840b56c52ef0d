/** The reason of a call that ended because we leave. */
export class Interruption extends Error {
  override readonly name = 'Interruption';
}

/** The calls that are not answered yet, and the way to end them all. */
export class InFlight {
  readonly #calls = new Map<Promise<unknown>, AbortController>();
  #end: Promise<void> | undefined;

  get size(): number {
    return this.#calls.size;
  }

  /** Whether {@link end} was called. */
  get ending(): boolean {
    return this.#end !== undefined;
  }

  /** Counts a call until it is answered. It gets a signal that fires when `given` does, and when we leave. */
  async track<Answer>(given: AbortSignal, call: (signal: AbortSignal) => Promise<Answer>): Promise<Answer> {
    const abort = new AbortController();
    const giveUp = () => abort.abort(given.reason);
    if (given.aborted) giveUp();
    else given.addEventListener('abort', giveUp, { once: true });
    const answer = call(abort.signal);
    this.#calls.set(answer, abort);
    try {
      return await answer;
    } finally {
      this.#calls.delete(answer);
      given.removeEventListener('abort', giveUp);
    }
  }

  /** Ends every call; resolves when all are answered, after `boundMs` at the latest. Only the first bound counts. */
  end(boundMs: number): Promise<void> {
    this.#end ??= this.#endAll(boundMs);
    return this.#end;
  }

  async #endAll(boundMs: number): Promise<void> {
    for (const abort of this.#calls.values()) abort.abort(new Interruption('we leave'));
    const late = Promise.withResolvers<void>();
    const timer = setTimeout(late.resolve, boundMs);
    await Promise.race([late.promise, Promise.allSettled(this.#calls.keys())]);
    clearTimeout(timer);
  }
}
