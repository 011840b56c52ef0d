import { Socket } from 'node:net';

/** Reads are this large at most; every reader shares the one buffer, since a chunk is handed on before the next read. */
const CHUNK_BYTES = 65536;
let shared: Uint8Array | undefined;

/** How long an output whose command has ended may stay quiet, and how long it is read on at most. */
export const QUIET_MS = 1000;
export const READ_ON_MS = 2000;
const LOOK_MS = 50;

/** Reads one pipe to its end. */
export class PipeReader {
  /** Resolves when every writer has closed the pipe, or after {@link close}. */
  readonly ended: Promise<void>;
  readonly #socket: Socket;
  #done = false;
  #lastAt = performance.now();

  /**
   * @param fd the read end; owned by the reader from now on.
   * @param take gets each chunk and must copy what it keeps, since the buffer is used again.
   */
  constructor(fd: number, take: (chunk: Uint8Array) => void) {
    shared ??= Buffer.allocUnsafeSlow(CHUNK_BYTES);
    const buffer = shared;
    this.#socket = new Socket({
      fd,
      readable: true,
      writable: false,
      onread: {
        buffer,
        callback: (length) => {
          this.#lastAt = performance.now();
          take(buffer.subarray(0, length));
          return true;
        },
      },
    });
    this.ended = new Promise((resolve) => {
      // A pipe that cannot be read any more has ended as far as anybody here is concerned.
      this.#socket.on('error', () => {});
      this.#socket.once('close', () => {
        this.#done = true;
        resolve();
      });
    });
    this.#socket.once('end', () => this.#socket.destroy());
    this.#socket.resume();
  }

  get done(): boolean {
    return this.#done;
  }

  /** Closes our end. Whoever still writes gets SIGPIPE. */
  close(): void {
    this.#socket.destroy();
  }

  /**
   * Reads on after the command has ended: to the end, or until nothing came for a second, two seconds at most.
   * @returns whether somebody still held the pipe when our end was closed.
   */
  async readOn(): Promise<boolean> {
    const end = performance.now() + READ_ON_MS;
    this.#lastAt = performance.now();
    while (!this.#done) {
      const now = performance.now();
      const left = Math.min(end, this.#lastAt + QUIET_MS) - now;
      if (left <= 0) {
        this.close();
        return true;
      }
      await this.#endedWithin(Math.min(left, LOOK_MS));
    }
    return false;
  }

  /** Closes our end once the pipe has ended, after `boundMs` at the latest. */
  async finish(boundMs: number): Promise<void> {
    if (!this.#done) {
      await this.#endedWithin(boundMs);
      this.close();
    }
  }

  #endedWithin(boundMs: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, boundMs);
      void this.ended.then(() => {
        clearTimeout(timer);
        resolve();
      });
    });
  }
}
