import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Slots } from '../../src/process/index.ts';

test('whoever finds no slot gets none, and one given back twice is still one', () => {
  const slots = new Slots(2);
  const first = slots.tryAcquire();
  const second = slots.tryAcquire();
  assert.equal(slots.tryAcquire(), undefined);
  assert.equal(slots.inUse, 2);
  first?.();
  first?.();
  assert.equal(slots.inUse, 1);
  assert.ok(slots.tryAcquire());
  assert.equal(slots.tryAcquire(), undefined);
  second?.();
  assert.equal(slots.inUse, 1);
});
