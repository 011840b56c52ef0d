import { Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { closeQuietly, readAvailable, setNonBlocking } from '../native/index.ts';

/** Reads are this large at most; every reader shares the one buffer, since a chunk is handed on before the next read. */
const CHUNK_BYTES = 65536;
let shared: Buffer | undefined;

/**
 * Most commands are over sooner than this and write less than a pipe holds. Their output is read in one go at their
 * end, which costs a fraction of what a stream on the event loop does. In ms.
 */
const ATTACH_AFTER_MS = 10;
/**
 * A child that is just being started holds a copy of every descriptor until it executes, and with it the other end of
 * this pipe. It lets go within a few turns of the loop.
 */
const TURNS_TO_WAIT = 5;
/** Reads in one go, so that a writer that never stops cannot hold the event loop. */
const READS_IN_ONE_GO = 16;

/** How long an output whose command has ended may stay quiet, and how long it is read on at most. */
const QUIET_MS = 1000;
const READ_ON_MS = 2000;
const LOOK_MS = 50;

/** Reads one pipe to its end. */
export class PipeReader {
  readonly #fd: number;
  readonly #take: (chunk: Uint8Array) => void;
  readonly #buffer: Buffer;
  readonly #attachTimer: NodeJS.Timeout;
  readonly #ended = Promise.withResolvers<void>();
  #socket: Socket | undefined;
  #done = false;
  #lastAt = 0;

  /**
   * @param fd the read end; owned by the reader from now on.
   * @param take gets each chunk and must copy what it keeps, since the buffer is used again.
   */
  constructor(fd: number, take: (chunk: Uint8Array) => void) {
    shared ??= Buffer.allocUnsafeSlow(CHUNK_BYTES);
    this.#buffer = shared;
    this.#fd = fd;
    setNonBlocking(fd);
    this.#take = take;
    this.#attachTimer = setTimeout(() => this.#attach(), ATTACH_AFTER_MS);
  }

  /**
   * Reads on after the command has ended: to the end, or until nothing came for a second, two seconds at most.
   * @returns whether somebody still held the pipe when our end was closed.
   */
  async readOn(): Promise<boolean> {
    for (let turn = 0; turn <= TURNS_TO_WAIT; turn++) {
      if (this.#readInOneGo()) {
        return false;
      }
      await nextTurn();
    }
    this.#attach();
    const end = performance.now() + READ_ON_MS;
    this.#lastAt = performance.now();
    while (!this.#done) {
      const left = Math.min(end, this.#lastAt + QUIET_MS) - performance.now();
      if (left <= 0) {
        this.#close();
        return true;
      }
      await this.#endedWithin(Math.min(left, LOOK_MS));
    }
    return false;
  }

  /** Closes our end once the pipe has ended, after `boundMs` at the latest. Whoever writes on gets SIGPIPE. */
  async finish(boundMs: number): Promise<void> {
    if (!this.#readInOneGo()) {
      this.#attach();
      await this.#endedWithin(boundMs);
      this.#close();
    }
  }

  /** Whether the end was reached. Does nothing on a pipe that the event loop reads already. */
  #readInOneGo(): boolean {
    if (this.#done || this.#socket !== undefined) {
      return this.#done;
    }
    for (let reads = 0; reads < READS_IN_ONE_GO; reads++) {
      const length = readAvailable(this.#fd, this.#buffer);
      if (length === undefined) {
        return false;
      }
      if (length === 0) {
        this.#close();
        return true;
      }
      this.#take(this.#buffer.subarray(0, length));
    }
    return false;
  }

  #attach(): void {
    if (this.#socket !== undefined || this.#done) {
      return;
    }
    clearTimeout(this.#attachTimer);
    const buffer = this.#buffer;
    const callback = (length: number): boolean => {
      this.#lastAt = performance.now();
      this.#take(buffer.subarray(0, length));
      return true;
    };
    const socket = new Socket({ fd: this.#fd, readable: true, writable: false, onread: { buffer, callback } });
    this.#socket = socket;
    // A pipe that cannot be read any more has ended as far as anybody here is concerned.
    socket.on('error', () => {});
    socket.once('end', () => socket.destroy());
    socket.once('close', () => this.#end());
    socket.resume();
  }

  #close(): void {
    if (this.#socket !== undefined) {
      this.#socket.destroy();
    } else if (!this.#done) {
      clearTimeout(this.#attachTimer);
      closeQuietly(this.#fd);
      this.#end();
    }
  }

  #end(): void {
    this.#done = true;
    this.#ended.resolve();
  }

  #endedWithin(boundMs: number): Promise<void> {
    const timer = Promise.withResolvers<void>();
    const timeout = setTimeout(timer.resolve, boundMs);
    return Promise.race([this.#ended.promise, timer.promise]).finally(() => clearTimeout(timeout));
  }
}
