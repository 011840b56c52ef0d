import assert from 'node:assert/strict';
import { test } from 'node:test';
import KSUID from 'ksuid';
import { mintId } from '../../src/nats/index.ts';

test('a minted id is a KSUID of this moment', () => {
  for (let i = 0; i < 1_000; i++) {
    const id = mintId();
    assert.match(id, /^[0-9A-Za-z]{27}$/);
    const parsed = KSUID.parse(id);
    assert.equal(parsed.string, id);
    assert.ok(Math.abs(parsed.date.getTime() - Date.now()) < 2_000);
  }
});

test('ids do not repeat, also beyond one filling of random bytes', () => {
  const ids = new Set(Array.from({ length: 20_000 }, mintId));
  assert.equal(ids.size, 20_000);
  const payloads = new Set([...ids].map((id) => KSUID.parse(id).payload.toString('hex')));
  assert.equal(payloads.size, 20_000);
});
