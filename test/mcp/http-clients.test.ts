import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as FirstClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as FirstTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { served } from '../support/mcp-service.ts';
import { waitFor } from '../support/wait.ts';

const info = { name: 'test', version: '1' };
const asked = { capabilities: { elicitation: {} } };

test('a client of the first generation lists, calls, is asked, and takes its leave', async (t) => {
  const { http, seen } = await served(t);
  const client = new FirstClient(info, asked);
  client.setRequestHandler(ElicitRequestSchema, ({ params }) => ({
    action: 'accept',
    content: { approve: true, about: params.message },
  }));
  const transport = new FirstTransport(new URL(http.url));
  // The types of that package do not know this project's exact optional properties.
  await client.connect(transport as Parameters<typeof client.connect>[0]);
  assert.deepEqual(
    (await client.listTools()).tools.map(({ name }) => name),
    ['echo', 'ask', 'wait', 'big', 'tick'],
  );
  const said = await client.callTool({ name: 'echo', arguments: { text: 'hello' } });
  assert.deepEqual(said.content, [{ type: 'text', text: 'hello' }]);
  const answer = await client.callTool({ name: 'ask', arguments: { name: 'stream rm' } });
  assert.match(JSON.stringify(answer.content), /accept.*about stream rm/);
  const heard: number[] = [];
  await client.callTool({ name: 'tick', arguments: { count: 3 } }, undefined, {
    onprogress: ({ progress }) => heard.push(progress),
  });
  assert.deepEqual(heard, [1, 2, 3]);
  assert.equal(http.sessions, 1);
  assert.equal(seen.clients.length, 1);
  await transport.terminateSession();
  assert.equal(http.sessions, 0);
  await client.close();
});

for (const [revision, mode] of [
  ['an older revision', 'legacy'],
  ['the revision it finds out', 'auto'],
  ['2026-07-28', { pin: '2026-07-28' }],
] as const) {
  test(`a client of the second generation lists, calls and hears progress over ${revision}`, async (t) => {
    const { http } = await served(t);
    const client = new Client(info, { ...asked, versionNegotiation: { mode } });
    await client.connect(new StreamableHTTPClientTransport(new URL('mcp', http.url)));
    t.after(() => client.close());
    assert.equal((await client.listTools()).tools.length, 5);
    const said = await client.callTool({ name: 'echo', arguments: { text: 'hello' } });
    assert.deepEqual(said.content, [{ type: 'text', text: 'hello' }]);
    const heard: number[] = [];
    await client.callTool(
      { name: 'tick', arguments: { count: 3 } },
      { onprogress: ({ progress }) => void heard.push(progress) },
    );
    assert.deepEqual(heard, [1, 2, 3]);
    assert.equal(http.sessions, mode === 'legacy' ? 1 : 0, 'the newest revision has no sessions');
  });
}

test('a client that gives a call up has it cancelled, in every revision', async (t) => {
  const { http, seen } = await served(t);
  for (const mode of ['legacy', 'auto'] as const) {
    const client = new Client(info, { versionNegotiation: { mode } });
    await client.connect(new StreamableHTTPClientTransport(new URL(http.url)));
    const abort = new AbortController();
    const given = client.callTool({ name: 'wait', arguments: { name: mode } }, { signal: abort.signal });
    await waitFor(() => seen.waiting.has(mode));
    abort.abort();
    await assert.rejects(given);
    await waitFor(() => seen.cancelled.includes(mode), { what: `the end of the call in ${mode}` });
    await client.close();
  }
});

test('many clients at a time get their own answers', async (t) => {
  const { http } = await served(t);
  await Promise.all(
    Array.from({ length: 20 }, async (_, n) => {
      const client = new Client(info, { versionNegotiation: { mode: n % 2 === 0 ? 'legacy' : 'auto' } });
      await client.connect(new StreamableHTTPClientTransport(new URL(http.url)));
      const texts = Array.from({ length: 10 }, (_, call) => `client ${n} call ${call}`);
      const answers = await Promise.all(texts.map((text) => client.callTool({ name: 'echo', arguments: { text } })));
      assert.deepEqual(
        answers.map(({ content }) => content),
        texts.map((text) => [{ type: 'text', text }]),
      );
      await client.close();
    }),
  );
});

test('a client that sends its token is served, and one without it is told to', async (t) => {
  const token = 'a-token-of-some-length';
  const { http, seen } = await served(t, { token });
  const requestInit = { headers: { Authorization: `Bearer ${token}` } };
  for (const mode of ['legacy', 'auto'] as const) {
    const client = new Client(info, { versionNegotiation: { mode } });
    await client.connect(new StreamableHTTPClientTransport(new URL(http.url), { requestInit }));
    assert.equal((await client.listTools()).tools.length, 5);
    await client.close();
    const stranger = new Client(info, { versionNegotiation: { mode } });
    await assert.rejects(stranger.connect(new StreamableHTTPClientTransport(new URL(http.url))), /401|token/i);
  }
  assert.ok(seen.clients.every(({ tokenHolder }) => tokenHolder !== undefined));
});
