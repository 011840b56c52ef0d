import { writeSync } from 'node:fs';

/** How much of the log may wait for a slow reader, in bytes. Lines beyond it are counted, not kept. */
const MAX_PENDING_BYTES = 1_048_576;
/** Room kept for the line that says how many are missing. */
const NOTE_BYTES = 256;
/** How long lines are gathered before they leave together, which costs one system call instead of one a line, in ms. */
const GATHER_MS = 10;
/** How soon a full pipe is tried again, in milliseconds. */
const RETRY_MS = 20;
/** How long the last lines may hold up an exit, in milliseconds. */
const FINAL_FLUSH_MS = 2_000;

/** Where lines go. `write` never blocks and never throws. */
export interface LogSink {
  write(line: string): void;
  /** Writes what waits, for at most `timeoutMs`; meant for the moment before the process ends. */
  flushSync(timeoutMs?: number): void;
  /** Lines dropped because the reader was too slow or the disk full. */
  readonly dropped: number;
}

/**
 * Lines to a file descriptor that is written to without ever waiting: a reader that stops reading, or a disk that is
 * full, costs lines, not memory and not the loop, and a reader that went away ends the log, not the process.
 */
export class DescriptorSink implements LogSink {
  readonly #fd: number;
  #lines: Buffer[] = [];
  #pending = 0;
  #scheduled = false;
  #broken = false;
  #dropped = 0;
  #unreported = 0;
  #tryAgainAt = 0;
  #stuck = false;

  /** The descriptor should be non-blocking. */
  constructor(fd: number) {
    this.#fd = fd;
  }

  get dropped(): number {
    return this.#dropped;
  }

  write(line: string): void {
    if (this.#broken) return;
    const bytes = Buffer.from(line);
    if (!this.#hasRoom(bytes.length)) this.#drainNow();
    // A line that is longer than everything that may wait goes out when nothing waits.
    if (!this.#hasRoom(bytes.length) && this.#pending > 0) {
      this.#dropped++;
      this.#unreported++;
      return;
    }
    // The note stands where the lines are missing, before the first one there is room for again.
    this.#noteDropped();
    this.#push(bytes);
    this.#schedule();
  }

  flushSync(timeoutMs = FINAL_FLUSH_MS): void {
    this.#drain();
    // A reader that was waited for in vain once is not waited for again: each end of the process asks for it.
    const deadline = performance.now() + (this.#stuck ? 0 : timeoutMs);
    while (this.#pending > 0 && performance.now() < deadline) {
      pause(RETRY_MS);
      this.#drain();
    }
    this.#stuck = this.#pending > 0;
  }

  #hasRoom(bytes: number): boolean {
    return this.#pending + bytes + NOTE_BYTES <= MAX_PENDING_BYTES;
  }

  /** The loop may be too busy for its timers: the reader is asked before a line is given up, but not for every line. */
  #drainNow(): void {
    if (performance.now() < this.#tryAgainAt) return;
    this.#drain();
    if (this.#pending > 0) this.#tryAgainAt = performance.now() + RETRY_MS;
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    setTimeout(() => this.#turn(), GATHER_MS);
  }

  #turn(): void {
    const before = this.#pending;
    this.#drain();
    if (this.#pending === 0) this.#scheduled = false;
    else setTimeout(() => this.#turn(), this.#pending < before ? 1 : RETRY_MS).unref();
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
      if (this.#pending === 0) this.#noteDropped();
    }
  }

  /** Bytes written; 0 when the reader is not ready or there is no room. */
  #tryWrite(batch: Buffer): number {
    try {
      return writeSync(this.#fd, batch);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'EAGAIN' || code === 'EINTR') return 0;
      if (code === 'ENOSPC' || code === 'EDQUOT') {
        // Somebody may make room one day, but not because we wait for it on our way out.
        this.#stuck = true;
        return 0;
      }
      // Nobody reads any more: there is no place left to complain to.
      this.#broken = true;
      this.#lines = [];
      this.#pending = 0;
      return 0;
    }
  }

  #noteDropped(): void {
    if (this.#unreported === 0) return;
    const fields = {
      msg: 'log lines were dropped: their reader was too slow or the disk full',
      lines: this.#unreported,
    };
    this.#unreported = 0;
    this.#push(Buffer.from(`${JSON.stringify({ time: new Date().toISOString(), level: 'warn', ...fields })}\n`));
  }

  #push(bytes: Buffer): void {
    this.#lines.push(bytes);
    this.#pending += bytes.length;
  }
}

const cell = new Int32Array(new SharedArrayBuffer(4));

function pause(ms: number): void {
  Atomics.wait(cell, 0, 0, ms);
}
