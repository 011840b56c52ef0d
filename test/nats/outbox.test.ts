import assert from 'node:assert/strict';
import test from 'node:test';
import { connect } from '../../src/nats/index.ts';
import { Outbox } from '../../src/nats/outbox.ts';
import { startNatsServer } from '../support/nats-server.ts';

const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

test('what is added in one turn leaves at its end, in order', async () => {
  const outbox = new Outbox();
  const left: number[] = [];
  outbox.add(() => left.push(1));
  await Promise.resolve();
  outbox.add(() => left.push(2));
  assert.deepEqual(left, []);
  await nextTurn();
  assert.deepEqual(left, [1, 2]);
});

test('whoever waits for it to be empty goes on after everything has left', async () => {
  const outbox = new Outbox();
  const seen: string[] = [];
  outbox.add(() => queueMicrotask(() => seen.push('written')));
  await outbox.emptied().then(() => seen.push('on'));
  assert.deepEqual(seen, ['written', 'on']);
  await outbox.emptied();
});

test('a flush and the end of a connection let out what waits for the end of the turn', async (t) => {
  const server = await startNatsServer();
  t.after(() => server.stop());
  const [one, other] = await Promise.all(['one', 'other'].map((name) => connect({ servers: [server.url], name })));
  assert.ok(one && other);
  const got: string[] = [];
  other.nc.subscribe('here', { callback: (_error, message) => void got.push(message.string()) });
  await other.flush();
  one.outbox.add(() => one.nc.publish('here', 'flushed'));
  await one.flush();
  one.outbox.add(() => one.nc.publish('here', 'closed'));
  await one.close();
  await other.flush();
  assert.deepEqual(got, ['flushed', 'closed']);
  await other.close();
});
