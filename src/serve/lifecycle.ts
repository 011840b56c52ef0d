import type { Logger } from '../observe/index.ts';

/** Where a daemon is in its life. */
export type State = 'starting' | 'ready' | 'draining' | 'stopped' | 'failed';

/** Which states may follow which. The last two are ends. */
const NEXT: Readonly<Record<State, readonly State[]>> = {
  starting: ['ready', 'draining', 'failed'],
  ready: ['draining'],
  draining: ['stopped', 'failed'],
  stopped: [],
  failed: [],
};

/** The state of a daemon. Every change goes through {@link to}, so that there is one place to see them all. */
export class Lifecycle {
  readonly #log: Logger;
  #state: State = 'starting';

  constructor(log: Logger) {
    this.#log = log;
  }

  get state(): State {
    return this.#state;
  }

  /** Goes to `next` and logs it. A change that no daemon makes is a mistake in this program and throws. */
  to(next: State, reason: string): void {
    if (!NEXT[this.#state].includes(next)) {
      throw new Error(`a daemon that is ${this.#state} cannot become ${next}`);
    }
    this.#log.info({ state: next, was: this.#state, reason }, `the daemon is ${next}`);
    this.#state = next;
  }
}
