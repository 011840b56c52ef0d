import { libc } from './libc.ts';

/**
 * A NULL-terminated array of C strings, packed into one block. Both buffers must stay referenced for as long as
 * native code may read them.
 */
export interface NativeStrings {
  /** `char **`: 8 bytes a pointer, the last one NULL. */
  readonly pointers: Buffer;
  /** What the pointers point into. */
  readonly blocks: readonly Buffer[];
}

const POINTER_BYTES = 8;

/** One C string. The text must hold no NUL, since C would end it there. */
export function nativeString(text: string): Buffer {
  return fill([text]).block;
}

/** Packs `texts` as `char *[]`. The texts must hold no NUL. */
export function nativeStrings(texts: readonly string[]): NativeStrings {
  const { block, offsets } = fill(texts);
  const pointers = Buffer.allocUnsafeSlow((texts.length + 1) * POINTER_BYTES);
  const base = texts.length > 0 ? libc().address(block) : 0n;
  for (const [index, offset] of offsets.entries()) {
    pointers.writeBigUInt64LE(base + BigInt(offset), index * POINTER_BYTES);
  }
  pointers.writeBigUInt64LE(0n, texts.length * POINTER_BYTES);
  return { pointers, blocks: [block] };
}

/** Both behind one another; the packed blocks are shared, not copied. */
export function joinNativeStrings(first: NativeStrings, second: NativeStrings): NativeStrings {
  const end = first.pointers.length - POINTER_BYTES;
  const pointers = Buffer.allocUnsafeSlow(end + second.pointers.length);
  first.pointers.copy(pointers, 0, 0, end);
  second.pointers.copy(pointers, end);
  return { pointers, blocks: [...first.blocks, ...second.blocks] };
}

function fill(texts: readonly string[]): { block: Buffer; offsets: number[] } {
  let bytes = 0;
  const offsets: number[] = [];
  for (const text of texts) {
    offsets.push(bytes);
    bytes += Buffer.byteLength(text) + 1;
  }
  // Slow: a block of its own outside the JavaScript heap and the shared pool, so that its address never changes.
  const block = Buffer.allocUnsafeSlow(Math.max(bytes, POINTER_BYTES));
  for (const [index, text] of texts.entries()) {
    const offset = offsets[index] ?? 0;
    block[offset + block.write(text, offset)] = 0;
  }
  return { block, offsets };
}
