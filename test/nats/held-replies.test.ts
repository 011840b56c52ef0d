import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { headers } from '@nats-io/nats-core';
import { HeldReplies, type HeldReply } from '../../src/nats/held-replies.ts';
import { type Connection, connect } from '../../src/nats/index.ts';
import { startNatsServer } from '../support/nats-server.ts';
import { waitFor } from '../support/wait.ts';
import { memoryLog } from './worker.ts';

const reply = (replyTo: string, text: string): HeldReply => ({
  replyTo,
  headers: headers(),
  bytes: text.length,
  write: (limit) => Buffer.from(text.slice(0, limit)),
});

/** A connection with what it holds, and a caller that collects what it gets. */
async function setUp(config = '') {
  const nats = await startNatsServer({ config });
  const { log, lines } = memoryLog();
  const connection = await connect({ servers: [nats.url], name: 'test' });
  const held = new HeldReplies(connection, log);
  const dropped = () => lines.filter(({ msg }) => msg === 'final replies were dropped').map(({ reason }) => reason);
  return { nats, connection, held, dropped, lines };
}

async function listen(url: string, subject: string): Promise<{ got: string[]; connection: Connection }> {
  const connection = await connect({ servers: [url], name: 'caller' });
  const got: string[] = [];
  connection.nc.subscribe(subject, { callback: (_, message) => void got.push(message.string()) });
  await connection.flush();
  return { got, connection };
}

test('at most eight MiB wait, and the oldest go first', async () => {
  const { nats, connection, held } = await setUp();
  for (let count = 0; count < 20; count++) held.hold(reply(`reply.${count}`, 'x'.repeat(700_000)));
  assert.equal(held.size, 11);
  assert.deepEqual(held.counts, { held: 20, dropped: 9 });
  held.dropAll();
  assert.equal(held.size, 0);
  assert.deepEqual(held.counts, { held: 20, dropped: 20 });
  await connection.close();
  await nats.stop();
});

test('a reply that nobody was there for outlives further losses of the connection, and arrives once', async () => {
  const { nats, connection, held, dropped } = await setUp();
  await nats.stop();
  await waitFor(() => !connection.connected);
  held.hold(reply('late.reply', 'the outcome'));
  // Each time it is tried, nobody is there, and the connection goes again while it waits for the next attempt.
  for (let loss = 0; loss < 2; loss++) {
    await nats.restart();
    await waitFor(() => connection.connected, { timeout: 20_000, what: 'the reconnect' });
    await delay(200);
    assert.equal(held.size, 1);
    await nats.stop();
    await waitFor(() => !connection.connected);
    await delay(1_200);
  }
  assert.deepEqual([held.size, dropped()], [1, []]);
  await nats.restart();
  const caller = await listen(nats.url, 'late.reply');
  await waitFor(() => caller.got.length > 0, { timeout: 20_000, what: 'the reply' });
  await waitFor(() => held.size === 0);
  await delay(1_200);
  assert.deepEqual(caller.got, ['the outcome']);
  assert.deepEqual(held.counts, { held: 1, dropped: 0 });
  await caller.connection.close();
  await connection.close();
  await nats.stop();
});

test('what is tried again still counts as waiting, and is dropped in one line when the daemon leaves', async () => {
  const { nats, connection, held, dropped } = await setUp();
  held.hold(reply('nobody.a', 'a'));
  held.hold(reply('nobody.b', 'b'));
  await nats.restart();
  await waitFor(() => connection.connected, { timeout: 20_000 });
  await delay(800);
  assert.equal(held.size, 2);
  held.dropAll();
  assert.deepEqual([held.size, held.counts.dropped, dropped().length], [0, 2, 1]);
  await connection.close();
  await nats.stop();
});

test('a reply is written anew for a server that carries less than the one before', async () => {
  const { nats, connection, held } = await setUp();
  await nats.stop();
  await waitFor(() => !connection.connected);
  held.hold(reply('small.reply', 'x'.repeat(300_000)));
  await nats.restart('max_payload: 65536');
  const caller = await listen(nats.url, 'small.reply');
  await waitFor(() => caller.got.length > 0, { timeout: 20_000, what: 'the reply' });
  assert.equal(caller.got[0]?.length, connection.bodyLimit);
  assert.ok(connection.bodyLimit < 65_536);
  await caller.connection.close();
  await connection.close();
  await nats.stop();
});
