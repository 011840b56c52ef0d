import assert from 'node:assert/strict';
import { request as httpRequest } from 'node:http';
import { type TestContext, test } from 'node:test';
import type { McpHttpOptions } from '../../src/mcp/http/index.ts';
import { call, initialize, newer, openSession, post, request } from '../support/mcp-post.ts';
import { served } from '../support/mcp-service.ts';
import { rawConnection, rawPost } from '../support/raw-http.ts';

const TOKEN = 'sixteen-or-more-characters';

interface Head {
  readonly method?: string;
  readonly path?: string;
  readonly host?: string;
  readonly headers?: Record<string, string>;
}

/** The status and headers of an answer to a request whose Host can be chosen, which fetch does not let one do. */
function ask(port: number, { method = 'GET', path = '/', host = '127.0.0.1', headers = {} }: Head = {}) {
  return new Promise<{ status: number | undefined; headers: NodeJS.Dict<string | string[]>; body: string }>(
    (resolve, reject) => {
      const sent = httpRequest(
        { port, host: '127.0.0.1', method, path, headers: { Host: host, ...headers } },
        (answer) => {
          let body = '';
          answer.setEncoding('utf8');
          answer.on('data', (chunk: string) => {
            body += chunk;
          });
          answer.on('end', () => resolve({ status: answer.statusCode, headers: answer.headers, body }));
        },
      );
      sent.on('error', reject);
      sent.end();
    },
  );
}

const statusOf = async (port: number, head: Head) => (await ask(port, head)).status;

/** Beyond loopback, which a token must guard. */
const wide = (t: TestContext, options: Partial<McpHttpOptions> = {}) =>
  served(t, { address: '0.0.0.0', token: TOKEN, ...options });

test('on loopback only names of loopback are served, and those that the file allows', async (t) => {
  const { http } = await served(t, { allowedHosts: ['mcp.example.com', 'proxy.example.com:8443'] });
  const ours = [
    '127.0.0.1',
    `127.0.0.1:${http.port}`,
    'localhost',
    'LOCALHOST:80',
    'localhost.',
    '127.9.9.9',
    '[::1]:8080',
  ];
  const allowed = ['mcp.example.com', 'MCP.example.com:1234', 'proxy.example.com'];
  for (const host of [...ours, ...allowed]) assert.equal(await statusOf(http.port, { host }), 400, host);
  const foreign = [
    'evil.example',
    '10.0.0.1',
    'localhost.evil.example',
    '127.0.0.1.evil.example',
    '2130706433',
    '0x7f.1',
  ];
  const broken = ['localhost@evil.example', 'localhost/evil', 'a b', '[::1', 'localhost:x', '127.0.0.1:80:80'];
  for (const host of [...foreign, ...broken]) assert.equal(await statusOf(http.port, { host }), 403, host);
});

test('beyond loopback an address or localhost is served, and with a list only what it names and loopback', async (t) => {
  const headers = { Authorization: `Bearer ${TOKEN}` };
  const open = await wide(t);
  for (const host of ['127.0.0.1', '192.0.2.7:8080', '[2001:db8::1]', 'localhost'])
    assert.equal(await statusOf(open.http.port, { host, headers }), 400, host);
  for (const host of ['mcp.example.com', 'evil.example'])
    assert.equal(await statusOf(open.http.port, { host, headers }), 403, host);
  const listed = await wide(t, { allowedHosts: ['mcp.example.com'] });
  for (const host of ['mcp.example.com', 'localhost', '127.0.0.1'])
    assert.equal(await statusOf(listed.http.port, { host, headers }), 400, host);
  for (const host of ['192.0.2.7', 'evil.example'])
    assert.equal(await statusOf(listed.http.port, { host, headers }), 403, host);
});

test('pages of foreign origins are refused, those of loopback and of allowed origins are served', async (t) => {
  const allowedOrigins = ['https://app.example.com', 'http://lab.example:8080/', 'vscode-webview://abc'];
  const { http } = await served(t, { allowedOrigins });
  const ours = ['http://localhost:6274', 'http://127.0.0.1', 'https://[::1]:1', 'HTTPS://App.Example.com:443'];
  for (const origin of [...ours, 'http://lab.example:8080', 'vscode-webview://abc']) {
    const { status, headers } = await ask(http.port, { headers: { Origin: origin } });
    assert.equal(status, 400, origin);
    assert.equal(headers['access-control-allow-origin'], origin);
    assert.equal(headers['vary'], 'Origin');
    assert.match(String(headers['access-control-expose-headers']), /Mcp-Session-Id/);
  }
  const foreign = [
    'https://evil.example',
    'http://app.example.com',
    'https://app.example.com:8443',
    'https://app.example.com.evil.example',
    'http://localhost.evil.example',
    'http://localhost@evil.example',
    'file://localhost',
    'vscode-webview://abd',
    'null',
    '*',
    '',
  ];
  for (const origin of foreign) {
    const { status, headers } = await ask(http.port, { headers: { Origin: origin } });
    assert.equal(status, 403, origin);
    assert.equal(headers['access-control-allow-origin'], undefined);
  }
});

test('the question of a browser before a call is answered for allowed origins only, and needs no token', async (t) => {
  const { http } = await served(t, { token: TOKEN, allowedOrigins: ['https://app.example.com'] });
  for (const path of ['/', '/mcp']) {
    const head = { method: 'OPTIONS', path, headers: { Origin: 'https://app.example.com' } };
    const { status, headers, body } = await ask(http.port, head);
    assert.equal(status, 204);
    assert.equal(body, '');
    assert.equal(headers['access-control-allow-origin'], 'https://app.example.com');
    assert.equal(headers['access-control-allow-methods'], 'GET, POST, DELETE');
    for (const name of [
      'Authorization',
      'Content-Type',
      'Mcp-Session-Id',
      'MCP-Protocol-Version',
      'Mcp-Method',
      'Mcp-Name',
    ])
      assert.match(String(headers['access-control-allow-headers']), new RegExp(`\\b${name}\\b`));
  }
  const none = await ask(http.port, { method: 'OPTIONS' });
  assert.deepEqual([none.status, none.headers['allow']], [405, 'GET, POST, DELETE']);
  const foreign = await ask(http.port, { method: 'OPTIONS', headers: { Origin: 'https://evil.example' } });
  assert.deepEqual([foreign.status, foreign.headers['access-control-allow-origin']], [405, undefined]);
  assert.equal(
    await statusOf(http.port, { method: 'OPTIONS', path: '/other', headers: { Origin: 'http://localhost' } }),
    404,
  );
});

test('a token is asked for in every way that a request can come, and only the right one counts', async (t) => {
  const { http, seen } = await served(t, { token: TOKEN });
  const wrong = [
    undefined,
    '',
    TOKEN,
    `Basic ${TOKEN}`,
    'Bearer',
    'Bearer ',
    `Bearer ${TOKEN}x`,
    `Bearer ${TOKEN.slice(1)}`,
    `Bearer ${TOKEN.toUpperCase()}`,
    `Bearer "${TOKEN}"`,
    `Bearer x ${TOKEN}`,
    `Bearer ${TOKEN}, Bearer ${TOKEN}`,
  ];
  for (const authorization of wrong) {
    const headers: Record<string, string> = authorization === undefined ? {} : { Authorization: authorization };
    for (const answer of [
      await post(http.url, initialize(), { headers }),
      await newer(http.url, call(1, 'echo', { text: 'x' }), { headers }),
      await fetch(http.url, { headers }),
      await fetch(http.url, { method: 'DELETE', headers }),
    ]) {
      assert.equal(answer.status, 401, authorization);
      assert.match(answer.headers.get('www-authenticate') ?? '', /^Bearer realm="mcp"/);
      assert.doesNotMatch(await answer.text(), new RegExp(TOKEN, 'i'));
    }
  }
  assert.equal(seen.clients.length, 0, 'nothing was made for anybody');
  for (const scheme of ['Bearer', 'bearer', 'BEARER']) {
    const headers = { Authorization: `${scheme} ${TOKEN}` };
    assert.equal((await post(http.url, initialize(), { headers })).status, 200, scheme);
  }
});

test('a second header of a kind that decides is refused, since a proxy may have read the other one', async (t) => {
  const { http } = await served(t);
  for (const line of [
    'Host: evil.example',
    'Origin: http://localhost\r\nOrigin: https://evil.example',
    'Content-Type: text/plain',
  ]) {
    const connection = await rawConnection(http.port);
    connection.write(rawPost(JSON.stringify(initialize())).replace('\r\n\r\n', `\r\n${line}\r\n\r\n`));
    assert.match(await connection.until(/HTTP\/1\.1 \d+/), /^HTTP\/1\.1 400/, line);
    connection.socket.destroy();
  }
});

test('health is told without session and token, beyond loopback to whoever asks', async (t) => {
  const near = await served(t, { token: TOKEN });
  const { status, body } = await ask(near.http.port, { path: '/healthz' });
  assert.deepEqual([status, JSON.parse(body)], [200, { live: true }]);
  assert.equal(await statusOf(near.http.port, { path: '/healthz', host: 'evil.example' }), 403);
  assert.equal(await statusOf(near.http.port, { path: '/healthz', method: 'POST' }), 405);
  assert.equal((await ask(near.http.port, { path: '/healthz', method: 'HEAD' })).body, '');
  const far = await wide(t);
  assert.equal(await statusOf(far.http.port, { path: '/healthz', host: 'probe.internal' }), 200);
});

test('MCP is served at the root and at /mcp, and nothing is anywhere else', async (t) => {
  const { http } = await served(t);
  for (const path of ['', 'mcp', '?key=1', 'mcp?key=1'])
    assert.equal((await post(http.url, initialize(), { path })).status, 200, path);
  for (const path of ['mcp/', 'MCP', 'sse', 'metrics', 'readyz', '.well-known/oauth-protected-resource', '/'])
    assert.equal((await post(http.url, initialize(), { path })).status, 404, path);
  const connection = await rawConnection(http.port);
  connection.write('GET http://127.0.0.1/mcp HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n');
  assert.match(await connection.until(/\r\n\r\n/), /^HTTP\/1\.1 404/, 'a request to a proxy');
  connection.socket.destroy();
});

test('what is no request of the protocol gets the status that says why', async (t) => {
  const { http } = await served(t);
  const session = await openSession(http.url);
  const ping = request(1, 'ping');
  const cases: [string, number, Promise<Response>][] = [
    ['another method', 405, fetch(http.url, { method: 'PUT', body: '{}' })],
    ['another type', 415, post(http.url, ping, { session, headers: { 'Content-Type': 'text/plain' } })],
    ['no type', 415, post(http.url, ping, { session, headers: { 'Content-Type': '' } })],
    ['no stream accepted', 406, post(http.url, ping, { session, headers: { Accept: 'application/json' } })],
    ['no JSON accepted', 406, post(http.url, ping, { session, headers: { Accept: 'text/event-stream' } })],
    ['no stream accepted, newer', 406, newer(http.url, ping, { headers: { Accept: 'application/json' } })],
    ['half of JSON', 400, post(http.url, '{"jsonrpc":"2.0",', { session })],
    ['nothing', 400, post(http.url, '', { session })],
    ['bytes that are no text', 400, post(http.url, '"', { session })],
    ['no message', 400, post(http.url, { hello: 1 }, { session })],
    ['null', 400, post(http.url, 'null', { session })],
    ['an empty batch', 400, post(http.url, [], { session })],
    ['no session', 400, post(http.url, ping)],
    ['a foreign session', 404, post(http.url, ping, { session: 'x'.repeat(32) })],
    ['an unknown revision', 400, post(http.url, ping, { session, headers: { 'MCP-Protocol-Version': '2020-01-01' } })],
    [
      'a revision that is not in the body',
      400,
      post(http.url, ping, { session, headers: { 'MCP-Protocol-Version': '2026-07-28' } }),
    ],
    ['a listener without a session', 400, fetch(http.url, { headers: { Accept: 'text/event-stream' } })],
    [
      'a listener that takes no stream',
      406,
      fetch(http.url, { headers: { Accept: 'application/json', 'Mcp-Session-Id': session } }),
    ],
    ['an end without a session', 400, fetch(http.url, { method: 'DELETE' })],
    ['the end of a foreign session', 404, fetch(http.url, { method: 'DELETE', headers: { 'Mcp-Session-Id': 'nope' } })],
  ];
  for (const [what, status, answer] of cases) {
    assert.equal((await answer).status, status, what);
    assert.match((await answer).headers.get('content-type') ?? '', /^application\/json/, what);
    const { jsonrpc, error } = (await (await answer).json()) as {
      jsonrpc: string;
      error: { code: number; message: string };
    };
    assert.equal(jsonrpc, '2.0', what);
    assert.equal(typeof error.code, 'number', what);
  }
  const wildcards = ['*/*', 'application/*, text/*', 'text/html, */*;q=0.5'];
  for (const Accept of wildcards)
    assert.equal((await post(http.url, ping, { session, headers: { Accept } })).status, 200, Accept);
  const told = await post(http.url, { jsonrpc: '2.0', method: 'notifications/initialized' }, { session });
  assert.equal(told.status, 202);
  assert.equal((await newer(http.url, request(2, 'tools/list'))).status, 200);
});

test('bytes that are no text are refused and not mended, for they would run another command', async (t) => {
  const { http } = await served(t);
  const session = await openSession(http.url);
  const body = Buffer.concat([
    Buffer.from('{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":"'),
    Buffer.from([0xff, 0xc0]),
    Buffer.from('"}}'),
  ]);
  const headers = { 'Content-Type': 'application/json', Accept: '*/*', 'Mcp-Session-Id': session };
  assert.equal((await fetch(http.url, { method: 'POST', headers, body })).status, 400);
});

test('who was refused is counted by the reason', async (t) => {
  const refused: string[] = [];
  const { http } = await served(t, { token: TOKEN, refused: (code) => refused.push(code) });
  await ask(http.port, { host: 'evil.example' });
  await ask(http.port, { headers: { Origin: 'https://evil.example' } });
  await ask(http.port, { headers: { Authorization: 'Bearer wrong' } });
  assert.deepEqual(refused, ['host', 'origin', 'token']);
});
