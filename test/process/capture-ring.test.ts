import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { CaptureRing, OUTPUT_LIMIT_BYTES } from '../../src/process/index.ts';

const MARKER = '\n...[output truncated]...\n';

function captured(chunks: readonly Uint8Array[]) {
  const ring = new CaptureRing();
  for (const chunk of chunks) ring.write(chunk);
  return ring.finish();
}

/** Cuts `bytes` into pieces whose sizes come round and round from `sizes`. */
function cut(bytes: Buffer, sizes: readonly number[]): Buffer[] {
  const pieces: Buffer[] = [];
  for (let at = 0, turn = 0; at < bytes.length; turn++) {
    const size = sizes[turn % sizes.length] ?? 1;
    pieces.push(bytes.subarray(at, at + size));
    at += size;
  }
  return pieces;
}

test('an output of exactly 64 KiB is kept whole and one byte more is shortened to two halves', () => {
  const whole = Buffer.alloc(OUTPUT_LIMIT_BYTES, 'a');
  assert.deepEqual(captured([whole]), { output: whole.toString(), truncated: false, omittedBytes: 0 });
  const over = captured([whole, Buffer.from('b')]);
  assert.equal(over.output, `${'a'.repeat(32768)}${MARKER}${'a'.repeat(32767)}b`);
  assert.equal(over.truncated, true);
  assert.equal(over.omittedBytes, 1);
});

test('an empty output is an empty text', () => {
  assert.deepEqual(captured([]), { output: '', truncated: false, omittedBytes: 0 });
});

test('however an output is cut into chunks, its first and last half come out', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 300_000 }),
      fc.array(fc.integer({ min: 1, max: 90_000 }), { minLength: 1, maxLength: 8 }),
      (length, sizes) => {
        const bytes = Buffer.alloc(length);
        for (let index = 0; index < length; index++) bytes[index] = 33 + ((index * 7919) % 90);
        const text = bytes.toString('latin1');
        const { output, truncated, omittedBytes } = captured(cut(bytes, sizes));
        assert.equal(truncated, length > OUTPUT_LIMIT_BYTES);
        assert.equal(omittedBytes, Math.max(0, length - OUTPUT_LIMIT_BYTES));
        assert.equal(output, truncated ? text.slice(0, 32768) + MARKER + text.slice(-32768) : text);
      },
    ),
    { numRuns: 60 },
  );
});

test('a character is never split by a cut, whatever its length and place', () => {
  for (const character of ['é', '€', '😀']) {
    for (let shift = 0; shift < 4; shift++) {
      const text = 'x'.repeat(shift) + character.repeat(60_000);
      const bytes = Buffer.from(text);
      const { output, omittedBytes } = captured(cut(bytes, [65536]));
      const [head = '', tail = ''] = output.split(MARKER);
      assert.ok(!output.includes('�'), `${character} at shift ${shift}`);
      assert.ok(text.startsWith(head) && text.endsWith(tail));
      assert.equal(omittedBytes, bytes.length - Buffer.byteLength(head) - Buffer.byteLength(tail));
      assert.ok(Buffer.byteLength(head) > 32764 && Buffer.byteLength(tail) > 32764);
    }
  }
});

test('characters split between chunks come out whole and a byte order mark stays', () => {
  const text = `\uFEFF${'aé€😀'.repeat(500)}`;
  assert.equal(captured(cut(Buffer.from(text), [1])).output, text);
});

test('bytes that are no UTF-8 become the replacement character', () => {
  assert.equal(captured([Buffer.from([0x61, 0xff, 0x62])]).output, 'a�b');
});

test('the buffer a chunk came in may be used again at once', () => {
  const ring = new CaptureRing();
  const buffer = Buffer.from('one ');
  ring.write(buffer);
  buffer.write('two ');
  ring.write(buffer);
  assert.equal(ring.finish().output, 'one two ');
});
