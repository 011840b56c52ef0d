import type { Writable } from 'node:stream';
import { type Style, styleFor, unstyled } from './style.ts';
import { oneLine, plain, plainJson } from './text.ts';

/** What {@link Channel} needs of a stream; `process.stdout` and `process.stderr` are the two that count. */
export type TextStream = Writable & { isTTY?: boolean };

/**
 * One of the two streams that a person or a script reads. A reader that went away (`| head -1`) is no failure: what
 * is still written is dropped in silence.
 */
export class Channel {
  readonly isTerminal: boolean;
  #style: Style;
  readonly #stream: TextStream;
  #closed = false;

  constructor(stream: TextStream, env: NodeJS.ProcessEnv) {
    this.#stream = stream;
    this.isTerminal = stream.isTTY === true;
    this.#style = styleFor(this.isTerminal, env);
    // Left without a listener, the broken pipe would be an uncaught exception and a stack trace.
    stream.on('error', (error: NodeJS.ErrnoException) => {
      this.#closed = true;
      if (error.code !== 'EPIPE' && error.code !== 'ERR_STREAM_DESTROYED') this.failure = error;
    });
  }

  /** What went wrong with the stream itself, a full disk for instance; a reader that left is not counted. */
  failure: Error | undefined;

  get style(): Style {
    return this.#style;
  }

  /** Switches emphasis off, for `--no-color`. */
  withoutStyle(): void {
    this.#style = unstyled;
  }

  write(text: string | Uint8Array): void {
    if (!this.#closed) this.#stream.write(text);
  }

  /** Writes `text` and a line feed. */
  line(text = ''): void {
    this.write(`${text}\n`);
  }

  /** Writes one JSON document, indented for a person, in one line for a pipe. */
  json(value: unknown): void {
    this.line(plainJson(JSON.stringify(value, null, this.isTerminal ? 2 : undefined)));
  }

  /** Writes what a third party printed: byte for byte into a pipe or a file, without its control characters to a terminal. */
  foreign(text: string): void {
    this.write(this.isTerminal ? plain(text) : text);
  }

  /** Writes a warning, which may quote a third party, on a line of its own. */
  warning(text: string): void {
    this.line(`warning: ${oneLine(text)}`);
  }

  /** Nothing more is written or waited for: whoever used the stream itself has seen to its end. */
  abandon(): void {
    this.#closed = true;
  }

  /**
   * Resolves when everything written so far has been handed over, or cannot be, or `timeoutMs` are over. Without that
   * bound it waits for as long as the reader takes. Never rejects.
   */
  flush(timeoutMs?: number): Promise<void> {
    if (this.#closed) return Promise.resolve();
    return new Promise((resolve) => {
      this.#stream.once('error', () => resolve());
      this.#stream.write('', () => resolve());
      if (timeoutMs !== undefined) setTimeout(resolve, timeoutMs).unref();
    });
  }
}

/** The two channels of a command. */
export interface Terminal {
  /** The answer or the listing, and nothing else. */
  readonly out: Channel;
  /** Everything else: notices, banner, progress, errors. */
  readonly err: Channel;
}

/** The channels of this process. */
export function openTerminal(env: NodeJS.ProcessEnv = process.env): Terminal {
  return { out: new Channel(process.stdout, env), err: new Channel(process.stderr, env) };
}
