import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { startRawMcp } from '../support/mcp.ts';
import { natsCli } from '../support/nats-cli.ts';
import type { Json } from '../support/raw-mcp.ts';

type Started = Awaited<ReturnType<typeof startRawMcp>>;

suite('what a client is told', () => {
  let mcp: Started;
  let hello: Json;
  before(async () => {
    mcp = await startRawMcp({ mcp: 'instructions: "Look before you sleep."' });
    hello = await mcp.raw.initialize();
  });
  after(() => mcp.stop());

  const listed = async () => (await mcp.raw.request('tools/list')).result;
  const tool = async (name: string) => (await listed()).tools.find((entry: Json) => entry.name === name);

  test('the server is named after the agent, and offers tools and nothing else', () => {
    assert.deepEqual(hello, {
      protocolVersion: '2025-06-18',
      serverInfo: { name: 'lab', version: '1.2.3' },
      capabilities: { tools: { listChanged: false } },
      instructions: 'Look before you sleep.',
    });
  });

  test('the list is one page, sorted by name, and holds no denied command', async () => {
    const { tools, ...rest } = await listed();
    const names = tools.map(({ name }: Json) => name);
    assert.deepEqual(names, [...names].sort());
    assert.ok(names.includes('approved'), 'what needs an approval is listed');
    assert.ok(!names.includes('denied'));
    assert.deepEqual(rest, {});
  });

  test('a cursor is refused, whatever it is', async () => {
    for (const cursor of ['', 'x', 7, null]) {
      const { error } = await mcp.raw.request('tools/list', { cursor });
      assert.equal(error.code, -32602, JSON.stringify(cursor));
    }
  });

  test('a command is described with its path, its behaviour, the schema as it is and the shape of its result', async () => {
    const sleep = await tool('sleep');
    assert.match(sleep.description, /^Sleeps that many seconds and says so\n\nTags: ai:read_only, ai:idempotent$/);
    assert.deepEqual(sleep.annotations, { title: 'sleep', readOnlyHint: true, idempotentHint: true });
    assert.deepEqual(sleep.inputSchema.required, ['seconds']);
    assert.deepEqual(sleep.inputSchema.properties.seconds, { type: 'string', description: 'seconds' });
    assert.deepEqual(sleep.outputSchema.required, ['command', 'exit_code', 'output']);
  });

  test('needing an approval changes no hint', async () => {
    assert.deepEqual((await tool('approved')).annotations, {
      title: 'approved',
      readOnlyHint: false,
      idempotentHint: false,
    });
  });

  test('methods that are not offered are unknown, and a ping is answered', async () => {
    for (const method of ['prompts/list', 'resources/list', 'logging/setLevel', 'completion/complete', 'no/such']) {
      assert.equal((await mcp.raw.request(method, { level: 'info' })).error?.code, -32601, method);
    }
    assert.deepEqual((await mcp.raw.request('ping')).result, {});
  });
});

test('without instructions the field is absent', async () => {
  const mcp = await startRawMcp();
  assert.equal('instructions' in (await mcp.raw.initialize()), false);
  await mcp.stop();
});

for (const version of ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25']) {
  test(`revision ${version} is spoken as asked`, async () => {
    const mcp = await startRawMcp();
    assert.equal((await mcp.raw.initialize({}, version)).protocolVersion, version);
    assert.equal((await mcp.raw.call('echo', { words: ['a'] })).structuredContent.output, '[a]\n');
    await mcp.stop();
  });
}

test('a revision that nobody knows is answered with the newest of the older ones', async () => {
  const mcp = await startRawMcp();
  assert.equal((await mcp.raw.initialize({}, '2031-01-01')).protocolVersion, '2025-11-25');
  await mcp.stop();
});

test('the newest revision needs no session, and says the same', async () => {
  const mcp = await startRawMcp();
  const { result } = await mcp.raw.modern('server/discover');
  assert.deepEqual(result.supportedVersions, ['2026-07-28']);
  assert.deepEqual(result.capabilities, { tools: { listChanged: false } });
  const { tools } = (await mcp.raw.modern('tools/list')).result;
  assert.ok(tools.length > 5);
  const called = await mcp.raw.modern('tools/call', { name: 'echo', arguments: { words: ['a'] } });
  assert.equal(called.result.structuredContent.output, '[a]\n');
  assert.equal((await mcp.raw.modern('tools/list', { cursor: 'x' })).error.code, -32602);
  await mcp.stop();
});

test('every command of the real nats program is listed with a usable schema', {
  skip: natsCli() === undefined,
}, async () => {
  const mcp = await startRawMcp({ application: natsCli() ?? '' });
  await mcp.raw.initialize();
  const { tools } = (await mcp.raw.request('tools/list')).result;
  assert.ok(tools.length > 200, `${tools.length} tools`);
  for (const { name, inputSchema, description } of tools) {
    assert.match(name, /^[A-Za-z0-9_-]+$/);
    assert.equal(inputSchema.type, 'object', name);
    assert.ok(description.length > 0, name);
  }
  await mcp.stop();
});
