import assert from 'node:assert/strict';
import { test } from 'node:test';
import { call, initialize, messagesFrom, messagesOf, newer, openSession, post, request } from '../support/mcp-post.ts';
import { served } from '../support/mcp-service.ts';
import { waitFor } from '../support/wait.ts';

const SESSION = /^[A-Za-z0-9_-]{32}$/;

const listen = (url: string, session: string, signal?: AbortSignal) =>
  fetch(url, {
    headers: { Accept: 'text/event-stream', 'Mcp-Session-Id': session },
    ...(signal === undefined ? {} : { signal }),
  });
const remove = (url: string, session: string) =>
  fetch(url, { method: 'DELETE', headers: { 'Mcp-Session-Id': session } });
const ping = (url: string, session: string) => post(url, request(9, 'ping'), { session });

test('every older revision gets a session whose id nobody can guess', async (t) => {
  const { http, seen } = await served(t);
  const ids = new Set<string>();
  for (const revision of ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25']) {
    const answer = await post(http.url, initialize({}, revision));
    const id = answer.headers.get('mcp-session-id') ?? '';
    assert.match(id, SESSION);
    ids.add(id);
    const [{ result }] = (await messagesOf(answer)) as [{ result: { protocolVersion: string } }];
    assert.equal(result.protocolVersion, revision);
  }
  assert.equal(ids.size, 4);
  const names = new Set(seen.clients.map(({ session }) => session));
  assert.equal(names.size, 4);
  for (const id of ids) assert.ok(!names.has(id), 'the id itself goes nowhere');
});

test('a session ends with DELETE, and its calls with it', async (t) => {
  const { http, seen } = await served(t);
  const session = await openSession(http.url);
  const waiting = await post(http.url, call(1, 'wait', { name: 'one' }), { session });
  await waitFor(() => seen.waiting.has('one'));
  assert.equal((await remove(http.url, session)).status, 200);
  assert.deepEqual(await messagesOf(waiting), [], 'the stream of the call is closed');
  assert.deepEqual(seen.cancelled, ['one']);
  assert.equal(http.sessions, 0);
  assert.equal((await ping(http.url, session)).status, 404);
  assert.equal((await remove(http.url, session)).status, 404);
  assert.equal((await listen(http.url, session)).status, 404);
});

test('a call that its client cancels is answered as cancelled, and its id may be used again', async (t) => {
  const { http, seen } = await served(t);
  const session = await openSession(http.url);
  const waiting = await post(http.url, call('a', 'wait', { name: 'one' }), { session });
  await waitFor(() => seen.waiting.has('one'));
  const cancelled = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'a' } };
  assert.equal((await post(http.url, cancelled, { session })).status, 202);
  const answers = (await messagesOf(waiting)) as { id: string; result: { isError: boolean } }[];
  assert.deepEqual(
    answers.map(({ id, result }) => [id, result.isError]),
    [['a', true]],
  );
  await waitFor(() => seen.cancelled.includes('one'));
  const again = await messagesOf(await post(http.url, call('a', 'echo', { text: 'x' }), { session }));
  assert.match(JSON.stringify(again), /"text":"x"/);
});

test('a cancellation of a foreign call, or of none, changes nothing', async (t) => {
  const { http, seen } = await served(t);
  const [mine, theirs] = [await openSession(http.url), await openSession(http.url)];
  await post(http.url, call(1, 'wait', { name: 'mine' }), { session: mine });
  await waitFor(() => seen.waiting.has('mine'));
  for (const requestId of [1, '1', 2, null, undefined, {}, [1]]) {
    const cancelled = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } };
    await post(http.url, cancelled, { session: theirs });
  }
  await post(
    http.url,
    { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: '1' } },
    { session: mine },
  );
  assert.equal((await ping(http.url, theirs)).status, 200);
  assert.deepEqual([...seen.waiting], ['mine']);
});

test('a second request of an id that is not answered yet is refused, and the first keeps its answer', async (t) => {
  const { http, seen } = await served(t);
  const session = await openSession(http.url);
  const waiting = await post(http.url, call(1, 'wait', { name: 'one' }), { session });
  await waitFor(() => seen.waiting.has('one'));
  const second = await post(http.url, call(1, 'echo', { text: 'x' }), { session });
  assert.equal(second.status, 400);
  assert.match(await second.text(), /"id":1\b/);
  const twice = [call(2, 'echo', { text: 'x' }), call(2, 'echo', { text: 'y' })];
  assert.equal((await post(http.url, twice, { session })).status, 400);
  assert.equal((await post(http.url, call('1', 'echo', { text: 'x' }), { session })).status, 200, 'text is another id');
  await http.close();
  assert.match(JSON.stringify(await messagesOf(waiting)), /interrupted/);
});

test('a batch of an older revision is answered whole, on one stream', async (t) => {
  const { http } = await served(t);
  const session = await openSession(http.url);
  const batch = [
    call(1, 'echo', { text: 'a' }),
    { jsonrpc: '2.0', method: 'notifications/x' },
    call(2, 'echo', { text: 'b' }),
  ];
  const answers = await messagesOf(await post(http.url, batch, { session }));
  assert.deepEqual(answers.map(({ id }) => id).sort(), [1, 2]);
  assert.equal((await post(http.url, Array(101).fill(batch[1]), { session })).status, 400);
  assert.equal((await post(http.url, [initialize(), initialize()])).status, 400);
  assert.equal(http.sessions, 1, 'what was refused left no session');
});

test('a session has one stream to listen on, which says that it lives', async (t) => {
  const { http } = await served(t, { limits: { keepAlive: 30 } });
  const session = await openSession(http.url);
  const abort = new AbortController();
  const stream = await listen(http.url, session, abort.signal);
  assert.equal(stream.status, 200);
  assert.equal((await listen(http.url, session)).status, 409);
  const reader = (stream.body as ReadableStream<Uint8Array>).getReader();
  assert.match(new TextDecoder().decode((await reader.read()).value), /^:/);
  abort.abort();
  await waitFor(async () => (await listen(http.url, session)).status === 200, {
    what: 'the place of the first stream',
  });
});

test('a call says that it lives while it runs, in every revision', async (t) => {
  const { http } = await served(t, { limits: { keepAlive: 30 } });
  const session = await openSession(http.url);
  const message = call(1, 'wait', { name: 'one' });
  for (const answer of [await post(http.url, message, { session }), await newer(http.url, message)]) {
    const reader = (answer.body as ReadableStream<Uint8Array>).getReader();
    assert.match(new TextDecoder().decode((await reader.read()).value), /^:/);
  }
});

test('a call of an older revision runs on when its connection drops; one of the newest is cancelled', async (t) => {
  const { http, seen } = await served(t);
  const session = await openSession(http.url);
  const older = new AbortController();
  await post(http.url, call(1, 'wait', { name: 'older' }), { session, signal: older.signal });
  const newest = new AbortController();
  await newer(http.url, call(1, 'wait', { name: 'newest' }), { signal: newest.signal });
  await waitFor(() => seen.waiting.size === 2);
  older.abort();
  newest.abort();
  await waitFor(() => seen.cancelled.includes('newest'));
  assert.deepEqual([...seen.waiting], ['older']);
  const cancelled = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } };
  await post(http.url, cancelled, { session });
  await waitFor(() => seen.cancelled.includes('older'));
  assert.equal((await ping(http.url, session)).status, 200);
});

test('a question is answered in its own session only, and only if it was asked', async (t) => {
  const { http, seen } = await served(t);
  const [mine, theirs] = [
    await openSession(http.url, { elicitation: {} }),
    await openSession(http.url, { elicitation: {} }),
  ];
  const asking = messagesFrom(await post(http.url, call(7, 'ask', { name: 'rm' }), { session: mine }));
  const { value: question } = await asking.next();
  assert.equal(question?.['method'], 'elicitation/create');
  const yes = { action: 'accept', content: { approve: true } };
  for (const [session, id] of [
    [theirs, question?.['id']],
    [mine, 4711],
    [mine, 7],
    [mine, 'x'],
    [mine, -1],
  ] as const)
    await post(http.url, { jsonrpc: '2.0', id, result: yes }, { session });
  // The newest revision takes no replies at all.
  const meta = { 'MCP-Protocol-Version': '2026-07-28' };
  await post(http.url, { jsonrpc: '2.0', id: question?.['id'], result: yes }, { headers: meta });
  assert.deepEqual([...seen.replies], [], 'nothing counted as the answer');
  await post(http.url, { jsonrpc: '2.0', id: question?.['id'], result: { action: 'decline' } }, { session: mine });
  const { value: answer } = await asking.next();
  assert.equal(answer?.['id'], 7);
  assert.deepEqual([...seen.replies], [['rm', 'decline']]);
});

test('a session that nobody used for half an hour is gone; one with a call or a stream is not', async (t) => {
  let now = 0;
  const { http, seen } = await served(t, { now: () => now });
  const [silent, used, calling, listening] = await Promise.all([1, 2, 3, 4].map(() => openSession(http.url)));
  await post(http.url, call(1, 'wait', { name: 'one' }), { session: calling });
  await listen(http.url, String(listening));
  await waitFor(() => seen.waiting.size === 1);
  now += 29 * 60_000;
  await (await ping(http.url, String(used))).text();
  now += 2 * 60_000;
  assert.equal((await ping(http.url, String(silent))).status, 404);
  for (const session of [used, calling, listening]) assert.equal((await ping(http.url, String(session))).status, 200);
  assert.equal(http.sessions, 3);
});

test('idle sessions end without anybody asking for them', async (t) => {
  const { http } = await served(t, { limits: { sessionIdle: 50 } });
  await openSession(http.url);
  await waitFor(() => http.sessions === 0);
});

test('a thousand sessions: the bound holds, is said once, and those who work keep theirs', async (t) => {
  let now = 0;
  const { http, seen, logged } = await served(t, { now: () => now });
  const calling = await openSession(http.url);
  await post(http.url, call(1, 'wait', { name: 'one' }), { session: calling });
  await waitFor(() => seen.waiting.size === 1);
  now += 4 * 60_000;
  const statuses: number[] = [];
  for (let round = 0; round < 50; round++) {
    const answers = await Promise.all(Array.from({ length: 20 }, () => post(http.url, initialize())));
    for (const answer of answers) {
      statuses.push(answer.status);
      await answer.text();
    }
  }
  assert.equal(statuses.filter((status) => status === 200).length, 255);
  assert.equal(statuses.filter((status) => status === 503).length, 745);
  assert.equal(http.sessions, 256);
  const refused = await post(http.url, initialize());
  assert.equal(refused.headers.get('retry-after'), '60');
  assert.match(await refused.text(), /"error":.*every session is taken.*"id":0/);
  assert.equal(logged.filter(({ msg }) => msg === 'MCP clients are refused: every session is taken').length, 1);
  assert.equal((await ping(http.url, calling)).status, 200);
  assert.equal((await newer(http.url, request(1, 'tools/list'))).status, 200, 'the newest revision needs no session');

  // After a while those that are idle make room, the one that waits for its call never.
  now += 6 * 60_000;
  for (let n = 0; n < 255; n++) assert.equal((await post(http.url, initialize())).status, 200);
  assert.equal((await post(http.url, initialize())).status, 503);
  assert.equal(http.sessions, 256);
  assert.equal((await ping(http.url, calling)).status, 200);
  assert.deepEqual([...seen.waiting], ['one']);
});

test('one session may have sixty-four requests unanswered', async (t) => {
  const { http, seen } = await served(t);
  const session = await openSession(http.url);
  const batch = Array.from({ length: 64 }, (_, id) => call(id, 'wait', { name: String(id) }));
  await post(http.url, batch, { session });
  await waitFor(() => seen.waiting.size === 64);
  const over = await post(http.url, call(64, 'echo', { text: 'x' }), { session });
  assert.equal(over.status, 429);
  assert.match(await over.text(), /"id":64/);
  assert.equal((await ping(http.url, await openSession(http.url))).status, 200, 'another session is not affected');
});

test('the calls of the newest revision are known by their connection', async (t) => {
  const { http, seen } = await served(t);
  await (await newer(http.url, request(1, 'tools/list'))).text();
  assert.equal(seen.clients.length, 1);
  assert.equal(seen.clients[0]?.session, undefined);
  assert.match(seen.clients[0]?.connection ?? '', /^\d+$/);
});
