import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { test } from 'node:test';
import { call, messagesOf, newer, openSession, post, request } from '../support/mcp-post.ts';
import { served, smallService } from '../support/mcp-service.ts';
import { rawConnection, rawPost } from '../support/raw-http.ts';
import { waitFor } from '../support/wait.ts';

test('the end answers every call on its own stream, closes the others, and takes no more', async (t) => {
  const { http, seen } = await served(t);
  const session = await openSession(http.url);
  const older = await post(http.url, call(1, 'wait', { name: 'older' }), { session });
  const newest = await newer(http.url, call(2, 'wait', { name: 'newest' }));
  const listener = await fetch(http.url, { headers: { Accept: 'text/event-stream', 'Mcp-Session-Id': session } });
  await waitFor(() => seen.waiting.size === 2);
  const idle = await rawConnection(http.port);
  const began = performance.now();
  const closed = http.close();
  assert.equal(http.close(), closed, 'there is one end');
  for (const [answer, id] of [
    [older, 1],
    [newest, 2],
  ] as const)
    assert.match(JSON.stringify(await messagesOf(answer)), new RegExp(`interrupted.*"isError":true.*"id":${id}`));
  assert.equal(await listener.text(), '');
  await closed;
  assert.ok(performance.now() - began < 4_000, 'nothing waited for the bound');
  assert.equal(await idle.end(), '');
  assert.equal(http.sessions, 0);
  await assert.rejects(fetch(http.url), 'nothing listens any more');
});

test('a request that comes while the server leaves is told so', async (t) => {
  let release = () => {};
  const { service } = smallService();
  const held = { ...service, drain: () => new Promise<void>((resolve) => (release = resolve)) };
  const { http } = await served(t, { service: held });
  const connection = await rawConnection(http.port);
  connection.write(rawPost('{}', { 'Content-Length': '99' }));
  // Its head has come, so the connection is in use when the end begins.
  await waitFor(() => http.sessions === 0);
  const other = await rawConnection(http.port);
  other.write('GET /healthz HTTP/1.1\r\nHost: localhost\r\n');
  await new Promise((resolve) => setTimeout(resolve, 50));
  const closed = http.close();
  other.write('\r\n');
  assert.match(await other.end(), /^HTTP\/1\.1 503 .*Connection: close/is);
  const refused = await new Promise((resolve) => connect(http.port, '127.0.0.1').on('error', () => resolve('refused')));
  assert.equal(refused, 'refused');
  release();
  connection.socket.destroy();
  await closed;
});

test('the end comes in five seconds, whatever hangs', async (t) => {
  const { service, seen } = smallService();
  const stuck = { ...service, drain: () => new Promise<void>(() => {}) };
  const { http } = await served(t, { service: stuck, limits: { closing: 300 } });
  const session = await openSession(http.url);
  const answer = await post(http.url, call(1, 'wait', { name: 'one' }), { session });
  const half = await rawConnection(http.port);
  half.write('POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\n{');
  await waitFor(() => seen.waiting.size === 1);
  await http.close();
  await half.end();
  assert.deepEqual(await messagesOf(answer).catch(() => []), []);
  assert.deepEqual(seen.cancelled, ['one'], 'what was not answered is cancelled at least');
});

test('an end with nobody there is quick', async (t) => {
  const { http } = await served(t);
  await (await newer(http.url, request(1, 'tools/list'))).text();
  const began = performance.now();
  await http.close();
  assert.ok(performance.now() - began < 2_000);
});
