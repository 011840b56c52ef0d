import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { initialize, openSession, post, request } from '../support/mcp-post.ts';
import { served } from '../support/mcp-service.ts';
import { rawConnection, rawPost } from '../support/raw-http.ts';

const methods = [
  'ping',
  'initialize',
  'tools/list',
  'tools/call',
  'server/discover',
  'subscriptions/listen',
  'x',
  '__proto__',
];
const message = fc.record(
  {
    jsonrpc: fc.constantFrom('2.0', '1.0', 2),
    id: fc.oneof(fc.integer(), fc.string(), fc.constant(null), fc.jsonValue()),
    method: fc.oneof(fc.constantFrom(...methods), fc.jsonValue()),
    params: fc.oneof(
      fc.record({ name: fc.constantFrom('echo', 'big', 'none'), arguments: fc.jsonValue(), _meta: fc.jsonValue() }),
      fc.jsonValue(),
    ),
    result: fc.jsonValue(),
    error: fc.jsonValue(),
  },
  { requiredKeys: [] },
);
const body = fc.oneof(message, fc.array(message, { maxLength: 5 }), fc.jsonValue(), fc.string());
const revision = fc.constantFrom(undefined, '2025-11-25', '2026-07-28', 'nope');

test('no message makes the server fail, with a session or without, in any revision', async (t) => {
  const { http, logged } = await served(t);
  const session = await openSession(http.url);
  await fc.assert(
    fc.asyncProperty(body, revision, fc.boolean(), async (sent, version, inSession) => {
      const headers: Record<string, string> = version === undefined ? {} : { 'MCP-Protocol-Version': version };
      const abort = new AbortController();
      const options = { headers, signal: abort.signal };
      const answer = await post(http.url, sent, inSession ? { ...options, session } : options);
      assert.ok(answer.status < 500 || answer.status === 503, `${answer.status}`);
      abort.abort();
    }),
    { numRuns: 10_000, interruptAfterTimeLimit: 5_000 },
  );
  assert.deepEqual(
    logged.filter(({ msg }) => msg !== 'MCP clients are refused: every session is taken'),
    [],
  );
  assert.match(await (await post(http.url, request('after', 'ping'), { session })).text(), /"id":"after"/);
});

test('no bytes make the server fail: a good request with some of it changed', async (t) => {
  const { http, logged } = await served(t);
  const good = Buffer.from(rawPost(JSON.stringify(initialize())));
  const change = fc.record({ at: fc.nat(good.length - 1), cut: fc.nat(40), put: fc.uint8Array({ maxLength: 20 }) });
  await fc.assert(
    fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 4 }), async (changes) => {
      let bytes = good;
      for (const { at, cut, put } of changes)
        bytes = Buffer.concat([bytes.subarray(0, at), Buffer.from(put), bytes.subarray(at + cut)]);
      const connection = await rawConnection(http.port);
      connection.write(bytes);
      connection.socket.end();
      const text = await connection.end();
      assert.doesNotMatch(text, /^HTTP\/1\.1 500/);
    }),
    { numRuns: 10_000, interruptAfterTimeLimit: 5_000 },
  );
  assert.deepEqual(
    logged.filter(({ msg }) => msg !== 'MCP clients are refused: every session is taken'),
    [],
  );
  assert.equal((await fetch(`${http.url}healthz`)).status, 200);
});
