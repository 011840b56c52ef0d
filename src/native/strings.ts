import { libc } from './libc.ts';

/** A row of C strings in one block, with their addresses. The block must stay referenced while native code may read it. */
export interface PackedStrings {
  /** Addresses, without the NULL at the end. */
  readonly pointers: BigUint64Array;
  readonly block: Buffer;
}

/** Packs `texts`, which must hold no NUL, since C would end them there. */
export function packStrings(texts: readonly string[]): PackedStrings {
  // Slow: a block of its own outside the JavaScript heap and the shared pool, so that its address never changes.
  const block = Buffer.allocUnsafeSlow(Math.max(bytesOf(texts), 1));
  const pointers = new BigUint64Array(texts.length);
  writeStrings(texts, { block, at: 0, base: libc().address(block) }, pointers);
  return { pointers, block };
}

/** Bytes that `texts` take as C strings. */
export function bytesOf(texts: readonly string[]): number {
  return texts.reduce((bytes, text) => bytes + Buffer.byteLength(text) + 1, 0);
}

/** Where strings are written to: `at` moves on behind the last one. `base` is the address of the block. */
export interface Place {
  readonly block: Buffer;
  at: number;
  readonly base: bigint;
}

/** Writes C strings one behind the other and notes the address of each. */
export function writeStrings(texts: readonly string[], place: Place, pointers: BigUint64Array): void {
  for (const [index, text] of texts.entries()) {
    pointers[index] = place.base + BigInt(place.at);
    place.at += place.block.write(text, place.at);
    place.block[place.at++] = 0;
  }
}
