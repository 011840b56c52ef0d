import assert from 'node:assert/strict';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { createServer, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { nkeys } from '@nats-io/nats-core';
import { type Connection, type ConnectOptions, connect } from '../../src/nats/index.ts';
import { natsServerVersions, startNatsServer } from '../support/nats-server.ts';
import { waitFor } from '../support/wait.ts';
import { memoryLog } from './worker.ts';

const context = (url: string, over: Record<string, unknown> = {}) => ({ name: 'lab', servers: [url], ...over });

/** A connection that ends with its test, whichever way that ends. */
async function opened(t: TestContext, options: ConnectOptions): Promise<Connection> {
  const connection = await connect(options);
  t.after(() => connection.close());
  return connection;
}

for (const version of natsServerVersions()) {
  test(`on ${version}: bodies are bounded by the protocol or by the server, whichever is less`, async (t) => {
    const server = await startNatsServer({ version });
    t.after(() => server.stop());
    const wide = await opened(t, { servers: [server.url], name: 'test' });
    assert.equal(wide.bodyLimit, 786_432);
    await server.restart('max_payload: 65536');
    const narrow = await opened(t, { servers: [server.url], name: 'test' });
    assert.equal(narrow.bodyLimit, 65_536 - 1_024);
    await server.restart('max_payload: 4096');
    await opened(t, { servers: [server.url], name: 'test' });
    await server.restart('max_payload: 4095');
    await assert.rejects(connect({ servers: [server.url], name: 'test' }), {
      name: 'FISK_NATS_CONNECT',
      message: /max_payload is 4095 bytes.*less than 4096/,
    });
  });

  test(`on ${version}: one of the ways to log in is used, and a token beside it`, async (t) => {
    const server = await startNatsServer({ version, config: 'authorization: { user: u, password: "p:1@x" }' });
    t.after(() => server.stop());
    await opened(t, { context: context(server.url, { user: 'u', password: 'p:1@x' }), name: 'test' });
    const inUrl = server.url.replace('://', '://u:p%3A1%40x@');
    await opened(t, { servers: [inUrl], name: 'test' });
    await assert.rejects(connect({ context: context(server.url), name: 'test' }), {
      code: 'FISK_NATS_CONNECT',
      message: new RegExp(`context lab \\(${server.url}\\): .*Authorization`, 'i'),
    });
    const wrong = inUrl.replace('p%3A1', 'secret');
    await assert.rejects(connect({ servers: [wrong], name: 'test' }), (error: Error) => {
      assert.match(error.message, /nats:\/\/127\.0\.0\.1/);
      assert.doesNotMatch(error.message, /secret/);
      return true;
    });

    await server.restart('authorization: { token: sesame }');
    await opened(t, { context: context(server.url, { token: 'sesame' }), name: 'test' });
    await opened(t, { context: context(server.url, { token: 'sesame', user: 'u', password: 'p' }), name: 'test' });
    await opened(t, { servers: [server.url.replace('://', '://sesame@')], name: 'test' });

    const pair = nkeys.createUser();
    const seed = Buffer.from(pair.getSeed()).toString();
    await server.restart(`authorization: { users: [ { nkey: ${pair.getPublicKey()} } ] }`);
    await opened(t, { context: context(server.url, { nkeySeed: `${seed}\n` }), name: 'test' });
  });

  test(`on ${version}: a server that comes back is found again, however long it takes, and both are logged`, async (t) => {
    const server = await startNatsServer({ version });
    const { log, lines } = memoryLog();
    const connection = await opened(t, { servers: [server.url], name: 'test', log });
    t.after(() => server.stop());
    assert.equal(connection.nc.info?.version.startsWith('2.9.'), version === '2.9');
    await server.stop();
    await waitFor(() => !connection.connected, { what: 'the loss to be noticed' });
    await assert.rejects(connection.flush(300), { code: 'FISK_NATS_CONNECTION_LOST' });
    await server.restart();
    await waitFor(() => connection.connected, { timeout: 10_000, what: 'the way back' });
    await connection.flush();
    assert.ok(lines.some((line) => line.level === 'warn' && line.msg === 'disconnected from NATS'));
    const back = lines.find((line) => line.msg === 'reconnected to NATS');
    assert.ok(Number(back?.['duration']) > 0);
  });

  test(`on ${version}: credentials that are no longer taken end the connection and whoever watches hears it`, async (t) => {
    const server = await startNatsServer({ version, config: 'authorization: { user: u, password: one }' });
    t.after(() => server.stop());
    const connection = await opened(t, { context: context(server.url, { user: 'u', password: 'one' }), name: 'test' });
    const lost = new Promise<Error>((resolve) => connection.watch({ lost: resolve }));
    await server.restart('authorization: { user: u, password: two }');
    const error = await lost;
    assert.equal((error as Error & { code: string }).code, 'FISK_NATS_CONNECTION_LOST');
    assert.match(error.message, /authorization/i);
    assert.equal(connection.connected, false);
    await connection.close();
  });
}

test('the way back is looked for without end and not in a hurry', async (t) => {
  const server = await startNatsServer();
  t.mock.timers.enable({ apis: ['setTimeout', 'Date'], now: Date.now() });
  const connection = await connect({ servers: [server.url], name: 'test' });
  let seconds = 0;
  const passSecondsUntil = async (done: () => boolean) => {
    for (; !done(); seconds++) {
      assert.ok(seconds < 500, 'it takes far too long');
      t.mock.timers.tick(1_000);
      // What a second sets off needs turns of the loop to happen in.
      for (let i = 0; i < 50; i++) await new Promise((resolve) => setImmediate(resolve));
    }
  };
  process.kill(server.pid, 'SIGKILL');
  let attempts = 0;
  const refusing = createServer((socket) => {
    attempts++;
    socket.destroy();
  });
  await passSecondsUntil(() => !connection.connected);
  refusing.listen(server.port, '127.0.0.1');
  const before = seconds;
  await passSecondsUntil(() => attempts >= 30);
  assert.ok(seconds - before > 30, `30 attempts in ${seconds - before} s`);
  refusing.close();
  let up = false;
  void server.restart().then(() => {
    up = true;
  });
  await passSecondsUntil(() => up && connection.connected);
  await connection.close();
  t.mock.timers.reset();
  await server.stop();
});

test('our own close is no loss', async (t) => {
  const server = await startNatsServer();
  t.after(() => server.stop());
  const connection = await opened(t, { servers: [server.url], name: 'test' });
  let lost = false;
  connection.watch({
    lost: () => {
      lost = true;
    },
  });
  await connection.close();
  await connection.close();
  assert.equal(lost, false);
});

test('an error that a socket has after it was given up reaches nobody', async (t) => {
  const server = await startNatsServer();
  t.after(() => server.stop());
  const sockets: Socket[] = [];
  const note = (message: unknown) => void sockets.push((message as { socket: Socket }).socket);
  subscribe('net.client.socket', note);
  const connection = await connect({ servers: [server.url], name: 'test' });
  unsubscribe('net.client.socket', note);
  await connection.close();
  const ours = sockets.filter((socket) => socket.destroyed);
  assert.ok(ours.length > 0);
  for (const socket of ours) assert.doesNotThrow(() => socket.emit('error', new Error('write after end')));
});

test('closing with the server gone does not wait for it', async (t) => {
  const server = await startNatsServer();
  const connection = await opened(t, { servers: [server.url], name: 'test' });
  await server.stop();
  await waitFor(() => !connection.connected);
  const started = performance.now();
  await connection.close();
  assert.ok(performance.now() - started < 1_000);
});

test('an address where nothing answers fails at once and names it', async () => {
  const closed = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => closed.once('listening', resolve));
  const { port } = closed.address() as { port: number };
  await new Promise((resolve) => closed.close(resolve));
  const started = performance.now();
  await assert.rejects(connect({ servers: [`nats://127.0.0.1:${port}`], name: 'test' }), {
    code: 'FISK_NATS_CONNECT',
    message: `cannot connect to NATS by nats://127.0.0.1:${port}: connection refused`,
  });
  assert.ok(performance.now() - started < 2_000);
});

/** A server that takes every connection and never speaks. */
async function muteServer(t: TestContext) {
  const open = new Set<Socket>();
  let taken = 0;
  const server = createServer((socket) => {
    taken++;
    open.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => open.delete(socket));
    socket.resume();
  }).listen(0, '127.0.0.1');
  t.after(() => {
    for (const socket of open) socket.destroy();
    server.close();
  });
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as { port: number };
  return { address: `127.0.0.1:${port}`, open, taken: () => taken };
}

test('an address that takes the connection and never speaks is given up after five seconds, with its socket', async (t) => {
  const mute = await muteServer(t);
  await assert.rejects(connect({ servers: [mute.address], name: 'test' }), { code: 'FISK_NATS_CONNECT' });
  assert.equal(mute.taken(), 1);
  await waitFor(() => mute.open.size === 0, { what: 'the socket to be closed' });
});

test('a signal ends an attempt at once, with its socket, and no other server is tried', async (t) => {
  const [mute, other] = [await muteServer(t), await muteServer(t)];
  const stop = new AbortController();
  const servers = [mute.address, other.address];
  const started = performance.now();
  const attempt = assert.rejects(connect({ servers, name: 'test', signal: stop.signal }), { message: 'enough' });
  const [first, second] = await waitFor(() =>
    mute.open.size > 0 ? [mute, other] : other.open.size > 0 ? [other, mute] : undefined,
  );
  stop.abort(new Error('enough'));
  await attempt;
  await waitFor(() => first?.open.size === 0, { what: 'the socket to be closed' });
  assert.ok(performance.now() - started < 4_000);
  await new Promise((resolve) => setTimeout(resolve, 300));
  assert.equal(second?.taken(), 0);
});

test('an address that demands TLS is not spoken to in the clear', async (t) => {
  const server = await startNatsServer();
  t.after(() => server.stop());
  await assert.rejects(connect({ servers: [server.url.replace('nats://', 'tls://')], name: 'test' }), {
    code: 'FISK_NATS_CONNECT',
    message: /tls/,
  });
});

test('reply inboxes stand under the prefix of the context', async (t) => {
  const server = await startNatsServer();
  t.after(() => server.stop());
  const connection = await opened(t, { context: context(server.url, { inboxPrefix: '_REPLY.lab' }), name: 'test' });
  assert.match(connection.newInbox(), /^_REPLY\.lab\.[A-Za-z0-9]{22}$/);
  assert.notEqual(connection.newInbox(), connection.newInbox());
});

test('a password with a comma is refused, and no half of it is told', async () => {
  for (const servers of [
    ['nats://u:p', 'w0rd@host'],
    ['nats://u:1234', 'w0rd@host'],
    ['u:p', 'w0rd'],
    ['nats://a:4222', 'nats://u:p', 'w0rd@host:4222'],
  ]) {
    await assert.rejects(connect({ servers, name: 'test' }), (error: Error & { code: string; remedy: string }) => {
      assert.equal(error.code, 'FISK_NATS_CONNECT');
      assert.match(error.message, /^server \d of \d is no address$/);
      assert.match(error.remedy, /%2C/);
      return true;
    });
  }
  for (const address of ['127.0.0.1:1', '[::1]:1', 'nats://u:p:q@127.0.0.1:1', 'ws://127.0.0.1:1/path']) {
    await assert.rejects(connect({ servers: [address], name: 'test' }), /cannot connect/, address);
  }
});
