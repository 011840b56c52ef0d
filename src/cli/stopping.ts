import { killLiveGroups } from '../process/index.ts';
import type { Terminal } from './render/terminal.ts';
import { exitCodeOf, onStopSignals, type StopSignal } from './signals.ts';

/** A daemon as the signals see it. */
export interface Stoppable {
  /** Calls whose command runs now. */
  readonly running: number;
  /** Leaves in order; calling it again does nothing. */
  drain(reason: string): void;
  /** Ends every running command with its whole process group. */
  kill(): Promise<void>;
}

/** What the first wish to stop means for that many running commands, as a sentence for people. */
export type DrainWords = (commands: number) => string;

/** What the signals do at each point of a daemon's life. */
export class Stopping {
  /** Resolves to the exit code when nothing is waited for any more. */
  readonly forced: Promise<number>;
  readonly #terminal: Terminal;
  readonly #words: DrainWords;
  readonly #early = new AbortController();
  readonly #release: () => void;
  /** Resolves when the commands are ended, if that was asked for. */
  killed: Promise<void> = Promise.resolve();
  #server: Stoppable | undefined;
  #signal: StopSignal | undefined;
  #wishes = 0;

  constructor(terminal: Terminal, words: DrainWords) {
    this.#terminal = terminal;
    this.#words = words;
    const { promise, resolve } = Promise.withResolvers<number>();
    this.forced = promise;
    this.#release = onStopSignals((signal) => {
      this.#signal ??= signal;
      if (++this.#wishes > 2) {
        killLiveGroups();
        resolve(exitCodeOf(signal));
      } else if (this.#server === undefined) {
        // What the start had begun is put in order; a second signal cannot make that faster.
        this.#early.abort();
      } else {
        this.#stopServer(this.#server, signal);
      }
    });
  }

  /** Fires when the start is to be given up. */
  get early(): AbortSignal {
    return this.#early.signal;
  }

  /** 0 for an orderly stop; what a shell expects when there was nothing to put in order. */
  get exitCode(): number {
    return this.early.aborted && this.#signal !== undefined ? exitCodeOf(this.#signal) : 0;
  }

  /** From now on a signal is for the server. One that came too late for the start counts as its first. */
  attach(server: Stoppable): void {
    this.#server = server;
    if (this.early.aborted) server.drain('stopped during the start');
  }

  /** Something else than a signal says that the server is to leave. It counts as the first wish, if it is. */
  leave(reason: string): void {
    this.#wishes = Math.max(this.#wishes, 1);
    this.#server?.drain(reason);
  }

  close(): void {
    this.#release();
  }

  #stopServer(server: Stoppable, signal: StopSignal): void {
    if (this.#wishes === 1) {
      this.#terminal.err.line(`draining: taking no more calls; ${this.#words(server.running)}`);
      server.drain(signal);
    } else {
      this.#terminal.err.line('ending the running commands; interrupt again to leave at once');
      this.killed = server.kill();
    }
  }
}
