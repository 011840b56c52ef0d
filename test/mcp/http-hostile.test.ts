import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { call, initialize, newer, openSession, post, request } from '../support/mcp-post.ts';
import { served } from '../support/mcp-service.ts';
import { rawConnection, rawPost } from '../support/raw-http.ts';
import { waitFor } from '../support/wait.ts';

const MIB = 1024 * 1024;
const statusLine = /^HTTP\/1\.1 (\d+)/;
const ask = JSON.stringify(initialize());

/** The server is as it was: a client opens a session and calls. */
async function stillServes(url: string): Promise<void> {
  const session = await openSession(url);
  const answer = await post(url, call(1, 'echo', { text: 'still here' }), { session });
  assert.match(await answer.text(), /still here/);
  await fetch(url, { method: 'DELETE', headers: { 'Mcp-Session-Id': session } });
}

test('a body of up to 4 MiB is read, and a larger one refused, whether or not it says its size', async (t) => {
  const { http } = await served(t);
  const session = await openSession(http.url);
  const fits = JSON.stringify(call(1, 'echo', { text: '' }));
  const text = 'x'.repeat(4 * MIB - fits.length);
  assert.equal((await post(http.url, call(1, 'echo', { text }), { session })).status, 200);
  assert.equal((await post(http.url, call(1, 'echo', { text: `${text}x` }), { session })).status, 413);
  const chunked = await rawConnection(http.port);
  chunked.write(rawPost('', { 'Content-Length': undefined, 'Transfer-Encoding': 'chunked' }));
  const chunk = `10000\r\n${'x'.repeat(65_536)}\r\n`;
  for (let sent = 0; sent <= 4 * MIB; sent += 65_536) chunked.write(chunk);
  assert.match(await chunked.until(statusLine), /^HTTP\/1\.1 413/);
  assert.match(await chunked.end(), /"code":-32000/);
  await stillServes(http.url);
});

test('200 MiB, announced or not, are not taken in', async (t) => {
  const { http } = await served(t);
  const before = process.memoryUsage().rss;
  for (const headers of [
    { 'Content-Length': String(200 * MIB) },
    { 'Content-Length': undefined, 'Transfer-Encoding': 'chunked' },
  ]) {
    const connection = await rawConnection(http.port);
    connection.write(rawPost('', headers));
    const piece = Buffer.alloc(MIB, 'x');
    let sent = 0;
    for (; sent < 200 && !connection.closed; sent++) {
      if (headers['Content-Length'] === undefined) connection.write('100000\r\n');
      const full = !connection.socket.write(piece);
      if (headers['Content-Length'] === undefined) connection.write('\r\n');
      if (full) await Promise.race([new Promise((resolve) => connection.socket.once('drain', resolve)), sleep(1_500)]);
    }
    assert.match(connection.text, /^HTTP\/1\.1 413/);
    await connection.end();
    assert.ok(sent < 100, `closed after ${sent} MiB`);
  }
  assert.ok(process.memoryUsage().rss - before < 80 * MIB);
  await stillServes(http.url);
});

test('a refusal reaches a client that is still sending what nobody will read', async (t) => {
  const { http } = await served(t, { token: 'sixteen-or-more-characters' });
  const body = 'x'.repeat(3 * MIB);
  for (const [url, init, status] of [
    [http.url, { method: 'POST', body }, 401],
    [`${http.url}nowhere`, { method: 'POST', body }, 404],
    [http.url, { method: 'PUT', body }, 405],
    [http.url, { method: 'POST', body, headers: { Origin: 'https://evil.example' } }, 403],
  ] as const)
    assert.equal((await fetch(url, init)).status, status);
});

test('half a request is given up after its time, whatever half it is', async (t) => {
  const { http } = await served(t, { limits: { headersTime: 300, requestTime: 600 } });
  const halves = ['', 'P', 'POST / HTTP/1.1\r\nHost: local', rawPost('{"half', { 'Content-Length': '100' })];
  for (const half of halves) {
    const connection = await rawConnection(http.port);
    connection.write(half);
    await connection.end(8_000);
  }
  const dripping = await rawConnection(http.port);
  dripping.write(rawPost('', { 'Content-Length': '1000' }));
  const drip = setInterval(() => dripping.write('x'), 50);
  t.after(() => clearInterval(drip));
  await dripping.end(8_000);
  await stillServes(http.url);
});

test('a client that leaves in the middle of its body costs nothing', async (t) => {
  const { http, logged } = await served(t);
  for (let n = 0; n < 50; n++) {
    const connection = await rawConnection(http.port);
    connection.write(rawPost('{"jsonrpc":', { 'Content-Length': '100' }));
    if (n % 2 === 0) connection.socket.end();
    else connection.socket.resetAndDestroy();
  }
  await stillServes(http.url);
  assert.deepEqual(logged, []);
});

test('what two readers could read differently is refused', async (t) => {
  const { http } = await served(t);
  const smuggled = 'POST / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n';
  const heads = [
    { 'Transfer-Encoding': 'chunked' },
    { 'transfer-encoding': 'chunked', 'Transfer-Encoding': 'identity', 'Content-Length': undefined },
    { 'Transfer-Encoding': 'identity, chunked, identity', 'Content-Length': undefined },
    { 'Transfer-Encoding': 'xchunked', 'Content-Length': undefined },
    { 'Transfer-Encoding ': 'chunked' },
    { 'content-length': '0' },
    { 'Content-Length': '+5' },
    { 'Content-Length': '0x5' },
    { 'Content-Length': '-1' },
    { 'Content-Length': '5, 5' },
    { 'X-Line': 'a\rb' },
    { 'X-Nul': 'a\0b' },
    { ' Folded': 'x' },
  ];
  for (const headers of heads) {
    const connection = await rawConnection(http.port);
    connection.write(rawPost(`0\r\n\r\n${smuggled}`, headers));
    const text = await connection.end();
    assert.match(text, /^HTTP\/1\.1 400/, JSON.stringify(headers));
    assert.equal(text.match(/HTTP\/1\.1/g)?.length, 1, `one answer to ${JSON.stringify(headers)}`);
  }
  for (const chunk of ['5;ext\nAAAAA\r\n', '-1\r\n', 'zz\r\n', '5\r\nAAAAAAAA\r\n', `${'f'.repeat(20)}\r\n`]) {
    const connection = await rawConnection(http.port);
    connection.write(rawPost(`${chunk}${smuggled}`, { 'Content-Length': undefined, 'Transfer-Encoding': 'chunked' }));
    assert.match(await connection.end(), /^HTTP\/1\.1 400/, JSON.stringify(chunk));
  }
  await stillServes(http.url);
});

test('junk is refused or dropped, alone and behind a request', async (t) => {
  const { http } = await served(t);
  const junk = [
    '\0\0\0\0',
    'GARBAGE\r\n\r\n',
    '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
    'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
    'GET / HTTP/9.9\r\nHost: localhost\r\n\r\n',
    'CONNECT localhost:22 HTTP/1.1\r\nHost: localhost\r\n\r\n',
    `GET /${'a'.repeat(20_000)} HTTP/1.1\r\nHost: localhost\r\n\r\n`,
    `GET / HTTP/1.1\r\nHost: localhost\r\n${'X-Many: x\r\n'.repeat(3_000)}\r\n`,
    `GET / HTTP/1.1\r\nHost: localhost\r\nX-Long: ${'x'.repeat(20_000)}\r\n\r\n`,
  ];
  for (const bytes of junk) {
    const alone = await rawConnection(http.port);
    alone.write(Buffer.from(bytes, 'latin1'));
    assert.match(await alone.end(), /^$|^HTTP\/1\.1 4\d\d/, JSON.stringify(bytes.slice(0, 40)));
    const behind = await rawConnection(http.port);
    behind.write(Buffer.concat([Buffer.from(rawPost(ask)), Buffer.from(bytes, 'latin1')]));
    await behind.end();
  }
  await stillServes(http.url);
});

test('a request beside WebSocket or HTTP/2 upgrades is one of HTTP/1.1', async (t) => {
  const { http } = await served(t);
  for (const upgrade of ['websocket', 'h2c']) {
    const connection = await rawConnection(http.port);
    connection.write(`GET / HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: ${upgrade}\r\n\r\n`);
    assert.match(await connection.until(statusLine), /^HTTP\/1\.1 400/);
    connection.socket.destroy();
  }
});

test('requests sent without waiting are answered in order, and too many of them end the connection', async (t) => {
  const { http, seen } = await served(t);
  const session = await openSession(http.url);
  const headers = { 'Mcp-Session-Id': session };
  const patient = await rawConnection(http.port);
  patient.write([1, 2, 3, 4].map((id) => rawPost(JSON.stringify(call(id, 'echo', { text: 'x' })), headers)).join(''));
  const text = await patient.until(/"id":4/);
  assert.deepEqual(
    [...text.matchAll(/"id":(\d)/g)].map(([, id]) => id),
    ['1', '2', '3', '4'],
  );
  const greedy = await rawConnection(http.port);
  greedy.write(
    Array.from({ length: 40 }, (_, id) => rawPost(JSON.stringify(call(id, 'wait', { name: `${id}` })), headers)).join(
      '',
    ),
  );
  await greedy.end();
  assert.ok(seen.waiting.size <= 16);
  patient.socket.destroy();
  await stillServes(http.url);
});

test('a call of the newest revision that waits behind another is cancelled with its connection', async (t) => {
  const { http, seen } = await served(t);
  const meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const headers = { 'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': 'tools/call', 'Mcp-Name': 'wait' };
  const connection = await rawConnection(http.port);
  for (const name of ['one', 'two', 'three'])
    connection.write(rawPost(JSON.stringify(call(1, 'wait', { name }, meta)), headers));
  await waitFor(() => seen.waiting.size === 3);
  connection.socket.destroy();
  await waitFor(() => seen.cancelled.length === 3);
});

test('a client that does not read is dropped before what waits for it grows', async (t) => {
  const { http, seen, logged } = await served(t, { limits: { unread: 256 * 1024 } });
  const session = await openSession(http.url);
  const deaf = await rawConnection(http.port);
  deaf.socket.pause();
  const batch = Array.from({ length: 60 }, (_, id) => call(id, 'big', { size: MIB }));
  deaf.write(rawPost(JSON.stringify(batch), { 'Mcp-Session-Id': session }));
  const said = () => logged.filter(({ msg }) => msg === 'an MCP client that does not read was dropped').length;
  await waitFor(() => said() === 1);
  assert.equal(seen.waiting.size, 0);
  deaf.socket.destroy();
  const hearing = await post(http.url, call(1, 'big', { size: 3 * MIB }), { session });
  assert.ok((await hearing.text()).length > 3 * MIB, 'one long answer is for whoever reads it');
  assert.equal(said(), 1);
});

test('a client that stopped reading is dropped after a while', async (t) => {
  const { http, logged } = await served(t, { limits: { unreadTime: 300 } });
  const session = await openSession(http.url);
  const deaf = await rawConnection(http.port);
  deaf.socket.pause();
  deaf.write(rawPost(JSON.stringify(call(1, 'big', { size: 16 * MIB })), { 'Mcp-Session-Id': session }));
  await waitFor(() => logged.length === 1);
  assert.equal(logged[0]?.['msg'], 'an MCP client that does not read was dropped');
  deaf.socket.destroy();
  await stillServes(http.url);
});

test('connections beyond the bound are not taken, and those that are there go on', async (t) => {
  const { http } = await served(t, { limits: { connections: 20 } });
  const first = await rawConnection(http.port);
  const crowd = await Promise.all(Array.from({ length: 40 }, () => rawConnection(http.port)));
  await waitFor(() => crowd.filter(({ closed }) => closed).length === 21);
  first.write(rawPost(ask));
  assert.match(await first.until(statusLine), /^HTTP\/1\.1 200/);
  for (const { socket } of [first, ...crowd]) socket.destroy();
  await waitFor(() =>
    stillServes(http.url).then(
      () => true,
      () => false,
    ),
  );
});

test('what is deep, strange or named like a part of an object is only a message', async (t) => {
  const { http, logged } = await served(t);
  const session = await openSession(http.url);
  const deep = '['.repeat(200_000) + ']'.repeat(200_000);
  const bodies = [
    deep,
    `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":${deep}}}`,
    '{"jsonrpc":"2.0","id":1,"method":"__proto__"}',
    '{"jsonrpc":"2.0","id":1,"method":"constructor","params":{"__proto__":{"x":1}}}',
    '{"jsonrpc":"2.0","id":{},"method":"ping"}',
    '{"jsonrpc":"2.0","id":null,"method":"ping"}',
    '{"jsonrpc":"2.0","id":1.5,"method":"ping"}',
    '{"jsonrpc":"1.0","id":1,"method":"ping"}',
    '{"jsonrpc":"2.0","id":1,"method":7}',
    '{"jsonrpc":"2.0","id":1}',
    '{"jsonrpc":"2.0","id":1,"result":{}}',
    '{"jsonrpc":"2.0","id":1,"error":{"code":"x"}}',
    '{"jsonrpc":"2.0","method":"notifications/cancelled","params":null}',
    '{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"x","progress":1e999}}',
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":{},"arguments":[]}}',
    '[1,2,3]',
    'true',
  ];
  for (const body of bodies) {
    for (const answer of [
      await post(http.url, body, { session }),
      await post(http.url, body),
      await post(http.url, body, { headers: { 'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': 'ping' } }),
    ]) {
      assert.ok(answer.status < 500, `${answer.status} for ${body.slice(0, 80)}`);
      await answer.body?.cancel();
    }
  }
  assert.deepEqual(
    logged.filter(({ level }) => level === 50 || level === 'error'),
    [],
  );
  assert.equal((await newer(http.url, request(1, 'tools/list'))).status, 200);
  await stillServes(http.url);
});
