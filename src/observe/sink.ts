import { constants, fstatSync, openSync, writeSync } from 'node:fs';

/** How much of the log may wait for a slow reader, in bytes. Lines beyond it are counted, not kept. */
const MAX_PENDING_BYTES = 1_048_576;
/** How soon a full pipe is tried again, in milliseconds. */
const RETRY_MS = 20;
/** How long the last lines may hold up an exit, in milliseconds. */
const FINAL_FLUSH_MS = 2_000;

/** Where lines go. `write` never blocks and never throws. */
export interface LogSink {
  write(line: string): void;
  /** Writes what waits, for at most `timeoutMs`; meant for the moment before the process ends. */
  flushSync(timeoutMs?: number): void;
  /** Lines dropped because the reader was too slow. */
  readonly dropped: number;
}

/**
 * Lines to a file descriptor that is written to without ever waiting: a reader that stops reading costs lines, not
 * memory and not the loop, and one that went away ends the log, not the process.
 */
export class DescriptorSink implements LogSink {
  readonly #fd: number;
  readonly #maxPending: number;
  #lines: Buffer[] = [];
  #pending = 0;
  #scheduled = false;
  #broken = false;
  #dropped = 0;
  #unreported = 0;

  /** The descriptor should be non-blocking. */
  constructor(fd: number, maxPendingBytes = MAX_PENDING_BYTES) {
    this.#fd = fd;
    this.#maxPending = maxPendingBytes;
  }

  get dropped(): number {
    return this.#dropped;
  }

  write(line: string): void {
    if (this.#broken) return;
    const bytes = Buffer.from(line);
    if (this.#pending + bytes.length > this.#maxPending) {
      this.#dropped++;
      this.#unreported++;
      return;
    }
    this.#lines.push(bytes);
    this.#pending += bytes.length;
    this.#schedule();
  }

  flushSync(timeoutMs = FINAL_FLUSH_MS): void {
    const deadline = performance.now() + timeoutMs;
    this.#drain();
    while (this.#pending > 0 && performance.now() < deadline) {
      pause(RETRY_MS);
      this.#drain();
    }
  }

  /** Lines of one turn of the loop leave together, which costs one system call instead of one a line. */
  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => this.#turn());
  }

  #turn(): void {
    this.#drain();
    if (this.#pending === 0) this.#scheduled = false;
    else setTimeout(() => this.#turn(), RETRY_MS).unref();
  }

  #drain(): void {
    while (this.#pending > 0) {
      const batch = this.#lines.length === 1 ? this.#lines[0] : Buffer.concat(this.#lines);
      if (batch === undefined) return;
      const written = this.#tryWrite(batch);
      if (this.#broken) return;
      this.#pending = batch.length - written;
      this.#lines = this.#pending === 0 ? [] : [batch.subarray(written)];
      if (written === 0) return;
      if (this.#pending === 0) this.#reportDropped();
    }
  }

  /** Bytes written; 0 when the reader is not ready. */
  #tryWrite(batch: Buffer): number {
    try {
      return writeSync(this.#fd, batch);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'EAGAIN' || code === 'EINTR') return 0;
      // Nobody reads any more, or the disk is full: there is no place left to complain to.
      this.#broken = true;
      this.#lines = [];
      this.#pending = 0;
      return 0;
    }
  }

  #reportDropped(): void {
    if (this.#unreported === 0) return;
    const lines = this.#unreported;
    this.#unreported = 0;
    const time = new Date().toISOString();
    this.write(
      `${JSON.stringify({ time, level: 'warn', msg: 'log lines were dropped: the reader is too slow', lines })}\n`,
    );
  }
}

let standardError: DescriptorSink | undefined;

/** The sink of standard error, one a process. What still waits when the process exits is written then. */
export function stderrSink(): LogSink {
  if (standardError === undefined) {
    const sink = new DescriptorSink(openWithoutBlocking(2));
    process.on('exit', () => sink.flushSync());
    standardError = sink;
  }
  return standardError;
}

/**
 * A descriptor for what `fd` writes to that never waits. A pipe or terminal is opened once more, since the flag on the
 * descriptor we were given is shared with whoever gave it. A file needs none. A socket cannot be opened again, and
 * neither can what belongs to another user: there Node's own stream sets the flag.
 */
function openWithoutBlocking(fd: number): number {
  try {
    const target = fstatSync(fd);
    if (target.isFile()) return fd;
    if (target.isFIFO() || target.isCharacterDevice()) {
      return openSync(`/proc/self/fd/${fd}`, constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
    }
  } catch {
    // Falls through to the stream.
  }
  void process.stderr.writable;
  return fd;
}

const cell = new Int32Array(new SharedArrayBuffer(4));

function pause(ms: number): void {
  Atomics.wait(cell, 0, 0, ms);
}
