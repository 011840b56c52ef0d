import type { Logger } from './logger.ts';
import { type DaemonState, type ServeObserver, silentObserver } from './observer.ts';

/** Which states may follow which. The last two are ends. */
const NEXT: Readonly<Record<DaemonState, readonly DaemonState[]>> = {
  starting: ['ready', 'draining', 'failed'],
  ready: ['draining'],
  draining: ['stopped', 'failed'],
  stopped: [],
  failed: [],
};

/** The state of a daemon. Every change goes through {@link to}, so that there is one place to see them all. */
export class Lifecycle {
  readonly #log: Logger;
  readonly #observer: ServeObserver;
  #state: DaemonState = 'starting';

  constructor(log: Logger, observer: ServeObserver = silentObserver) {
    this.#log = log;
    this.#observer = observer;
  }

  get state(): DaemonState {
    return this.#state;
  }

  /** Goes to `next`, logs it and tells whoever watches. A change that no daemon makes is a mistake in this program and throws. */
  to(next: DaemonState, reason: string): void {
    if (!NEXT[this.#state].includes(next)) {
      throw new Error(`a daemon that is ${this.#state} cannot become ${next}`);
    }
    this.#log.info({ state: next, was: this.#state, reason }, `the daemon is ${next}`);
    this.#state = next;
    this.#observer.state(next, reason);
  }
}
