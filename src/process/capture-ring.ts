/** Bytes of output that are kept in all, and of the two halves that remain of more. */
export const OUTPUT_LIMIT_BYTES = 65536;
const HALF_BYTES = OUTPUT_LIMIT_BYTES / 2;
const MARKER = '\n...[output truncated]...\n';
/** Most outputs are short. A block below 4 KiB comes out of a pool that Node shares between many. */
const INITIAL_BYTES = 256;

/** What is left of an output once it has ended. */
export interface Captured {
  readonly output: string;
  readonly truncated: boolean;
  /** Bytes that were written by the command and are not in `output`. */
  readonly omittedBytes: number;
}

/**
 * Keeps an output of any length within 64 KiB: all of it up to that size, else its first and its last half. Bytes go
 * in and text comes out once, at the end, so that no character is split by the chunks it arrived in.
 */
export class CaptureRing {
  #head: Buffer = Buffer.alloc(0);
  #headLength = 0;
  /** The last bytes of an output that outgrew the limit, written round and round. */
  #tail: Buffer | undefined;
  #tailEnd = 0;
  /** Bytes written so far. */
  #total = 0;

  /** Takes over the bytes of `chunk`; the caller may reuse it. */
  write(chunk: Uint8Array): void {
    this.#total += chunk.length;
    const room = OUTPUT_LIMIT_BYTES - this.#headLength;
    if (room > 0) {
      this.#writeHead(room < chunk.length ? chunk.subarray(0, room) : chunk);
    }
    if (chunk.length > room) {
      this.#writeTail(room > 0 ? chunk.subarray(room) : chunk);
    }
  }

  /** The text of what is kept. Invalid UTF-8 becomes U+FFFD; a character that a cut would split is left out whole. */
  finish(): Captured {
    if (this.#tail === undefined) {
      return { output: decode(this.#head.subarray(0, this.#headLength)), truncated: false, omittedBytes: 0 };
    }
    const head = withoutSplitEnd(this.#head.subarray(0, HALF_BYTES));
    const tail = withoutSplitStart(this.#lastHalf(this.#tail));
    return {
      output: decode(head) + MARKER + decode(tail),
      truncated: true,
      omittedBytes: this.#total - head.length - tail.length,
    };
  }

  #writeHead(chunk: Uint8Array): void {
    const needed = this.#headLength + chunk.length;
    if (needed > this.#head.length) {
      const grown = Buffer.allocUnsafe(
        Math.min(OUTPUT_LIMIT_BYTES, Math.max(needed, this.#head.length * 4, INITIAL_BYTES)),
      );
      this.#head.copy(grown, 0, 0, this.#headLength);
      this.#head = grown;
    }
    this.#head.set(chunk, this.#headLength);
    this.#headLength = needed;
  }

  #writeTail(chunk: Uint8Array): void {
    this.#tail ??= Buffer.allocUnsafe(HALF_BYTES);
    const last = chunk.length > HALF_BYTES ? chunk.subarray(chunk.length - HALF_BYTES) : chunk;
    // What is skipped still moves the place to write at, so that the ring's order holds.
    const at = (this.#tailEnd + chunk.length - last.length) % HALF_BYTES;
    const first = Math.min(last.length, HALF_BYTES - at);
    this.#tail.set(last.subarray(0, first), at);
    this.#tail.set(last.subarray(first), 0);
    this.#tailEnd = (at + last.length) % HALF_BYTES;
  }

  /** The last half in order: from the ring, and from the head what the ring has not yet pushed out. */
  #lastHalf(tail: Buffer): Buffer {
    const inRing = Math.min(this.#total - OUTPUT_LIMIT_BYTES, HALF_BYTES);
    if (inRing === HALF_BYTES) {
      return Buffer.concat([tail.subarray(this.#tailEnd), tail.subarray(0, this.#tailEnd)]);
    }
    return Buffer.concat([this.#head.subarray(OUTPUT_LIMIT_BYTES - (HALF_BYTES - inRing)), tail.subarray(0, inRing)]);
  }
}

// A byte order mark is part of what the command wrote.
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

function decode(bytes: Uint8Array): string {
  return decoder.decode(bytes);
}

/** Drops at most three bytes of a sequence whose rest was cut away. */
function withoutSplitEnd(bytes: Buffer): Buffer {
  for (let back = 1; back <= 3 && back <= bytes.length; back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (isLead(byte)) {
      return sequenceLength(byte) > back ? bytes.subarray(0, bytes.length - back) : bytes;
    }
    if (!isContinuation(byte)) {
      return bytes;
    }
  }
  return bytes;
}

/** Drops at most three bytes of a sequence whose beginning was cut away. */
function withoutSplitStart(bytes: Buffer): Buffer {
  let drop = 0;
  while (drop < 3 && isContinuation(bytes[drop] ?? 0)) {
    drop++;
  }
  return bytes.subarray(drop);
}

const isContinuation = (byte: number): boolean => (byte & 0xc0) === 0x80;
const isLead = (byte: number): boolean => byte >= 0xc2 && byte <= 0xf4;
const sequenceLength = (lead: number): number => (lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4);
