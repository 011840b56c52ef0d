import assert from 'node:assert/strict';
import { test } from 'node:test';
import { signalTarget } from '../../src/native/index.ts';

test('a signal is never sent to our own group, to everybody or to init', () => {
  for (const target of [0, -0, 1, -1, Number.NaN, 1.5]) {
    assert.throws(() => signalTarget(target, 0), RangeError, String(target));
  }
});

test('looking tells whether a process or group is there', () => {
  assert.equal(signalTarget(process.pid, 0), true);
  // Above the largest number a process can have.
  assert.equal(signalTarget(4194304 + 1, 0), false);
  assert.equal(signalTarget(-(4194304 + 1), 0), false);
});
