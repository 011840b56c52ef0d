const LINE_FEED = 0x0a;

/**
 * Cuts a stream of bytes into lines. A line that is longer than the bound is skipped to its end, so that what is kept
 * never grows beyond it.
 */
export class Lines {
  readonly #bound: number;
  readonly #onLine: (line: Buffer) => void;
  readonly #onTooLong: () => void;
  #parts: Buffer[] = [];
  #size = 0;
  #skipping = false;

  /** @param bound bytes of a line, its line feed not counted. */
  constructor(bound: number, onLine: (line: Buffer) => void, onTooLong: () => void) {
    this.#bound = bound;
    this.#onLine = onLine;
    this.#onTooLong = onTooLong;
  }

  push(chunk: Buffer): void {
    let start = 0;
    for (;;) {
      const end = chunk.indexOf(LINE_FEED, start);
      this.#keep(chunk.subarray(start, end < 0 ? undefined : end));
      if (end < 0) return;
      this.#finish();
      start = end + 1;
    }
  }

  #keep(part: Buffer): void {
    if (this.#skipping || part.length === 0) return;
    this.#size += part.length;
    if (this.#size > this.#bound) {
      this.#skipping = true;
      this.#parts = [];
      this.#onTooLong();
    } else {
      this.#parts.push(part);
    }
  }

  #finish(): void {
    const line = this.#skipping ? undefined : Buffer.concat(this.#parts);
    this.#parts = [];
    this.#size = 0;
    this.#skipping = false;
    if (line !== undefined) this.#onLine(line);
  }
}
