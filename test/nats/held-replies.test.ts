import assert from 'node:assert/strict';
import { test } from 'node:test';
import { headers } from '@nats-io/nats-core';
import { HeldReplies } from '../../src/nats/held-replies.ts';
import { connect } from '../../src/nats/index.ts';
import { startNatsServer } from '../support/nats-server.ts';

test('at most eight MiB wait, and the oldest go first', async () => {
  const nats = await startNatsServer();
  const connection = await connect({ servers: [nats.url], name: 'test' });
  const held = new HeldReplies(connection, undefined);
  for (let count = 0; count < 20; count++) {
    held.hold({ replyTo: `reply.${count}`, body: new Uint8Array(700_000), headers: headers() });
  }
  assert.equal(held.size, 11);
  assert.deepEqual(held.counts, { held: 20, dropped: 9 });
  held.dropAll();
  assert.equal(held.size, 0);
  assert.deepEqual(held.counts, { held: 20, dropped: 20 });
  await connection.close();
  await nats.stop();
});
