/** The same application behind both implementations' MCP servers, seen with one client. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema, type ElicitResult } from '@modelcontextprotocol/sdk/types.js';
import { findNatsCli } from '../../scripts/nats-cli.ts';
import { depot } from '../support/fisk.ts';
import { freePort } from '../support/free-port.ts';
import { mcpConfig, startMcpDaemon } from '../support/mcp-daemon.ts';
import { type Running, start } from '../support/run.ts';
import { tempDir } from '../support/tmp.ts';
import { needsPeer, peer } from './support/serving.ts';

interface Served {
  readonly running: Running;
  readonly url: string;
}

/** What a person answers, and what was asked. */
class Person {
  readonly questions: { message: string; requestedSchema: unknown }[] = [];
  answer: ElicitResult = { action: 'accept', content: { approve: true } };
}

const open: (() => Promise<unknown>)[] = [];
after(() => Promise.all(open.map((close) => close())));

async function serveBoth(application: string): Promise<{ ours: Served; theirs: Served }> {
  const each = () => ({ ...process.env, DEPOT_STORE: `${tempDir()}/parts.json`, XDG_CONFIG_HOME: tempDir() });
  const options = { identity: 'depot', application, mcp: 'confirm_over_mcp: always' };
  const ours = await startMcpDaemon({ ...options, env: each() });
  const port = await freePort();
  const args = ['mcp', '--config', mcpConfig(options), '--port', String(port)];
  const running = await start(peer ?? '', args, { env: each() });
  await running.printed(/Serving /);
  for (const daemon of [ours.running, running]) open.push(() => daemon.stop());
  return { ours, theirs: { running, url: `http://127.0.0.1:${port}/` } };
}

async function connect({ url }: Served, person?: Person): Promise<Client> {
  const client = new Client(
    { name: 'test', version: '1' },
    { capabilities: person === undefined ? {} : { elicitation: {} } },
  );
  if (person !== undefined) {
    client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
      const { message, requestedSchema } = params as Person['questions'][number];
      person.questions.push({ message, requestedSchema });
      return person.answer;
    });
  }
  await client.connect(new StreamableHTTPClientTransport(new URL(url)) as Parameters<typeof client.connect>[0]);
  open.unshift(() => client.close());
  return client;
}

interface Result {
  readonly isError?: boolean;
  readonly content: readonly { readonly type: string; readonly text: string }[];
}

let served: Awaited<ReturnType<typeof serveBoth>>;
before(async () => {
  if (peer !== undefined) served = await serveBoth(depot);
});

/** Calls both and gives the results, ours first. */
async function callBoth(name: string, args: Record<string, unknown>, people?: readonly [Person, Person]) {
  const clients = await Promise.all([connect(served.ours, people?.[0]), connect(served.theirs, people?.[1])]);
  return Promise.all(
    clients.map((client) => client.callTool({ name, arguments: args }) as Promise<unknown>),
  ) as Promise<[Result, Result]>;
}

/** The tools of both as a client is told of them, without what only we tell: the form of a result. */
async function listBoth({ ours, theirs }: { ours: Served; theirs: Served }) {
  const listed = await Promise.all([connect(ours), connect(theirs)]).then((clients) =>
    Promise.all(clients.map((client) => client.listTools())),
  );
  return listed.map(({ tools }) => tools.map(({ outputSchema: _, ...tool }) => tool));
}

test('both list the same tools with the same words, schemas and hints', needsPeer, async () => {
  const [ours, theirs] = await listBoth(served);
  assert.ok((ours?.length ?? 0) > 5);
  assert.deepEqual(ours, theirs);
});

const nats = findNatsCli();
test('so they do for the tools of the real nats CLI, but for one', {
  skip: needsPeer.skip || (nats === undefined && 'not run: no nats CLI here'),
}, async () => {
  const [ours, theirs] = await listBoth(await serveBoth(nats ?? ''));
  assert.ok((ours?.length ?? 0) > 200);
  // Some descriptions hold the time at which the program was asked.
  const lasting = (tool: unknown) =>
    JSON.parse(JSON.stringify(tool).replace(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/g, 'TIME'));
  const different = ours?.filter((tool, at) => !isDeepStrictEqual(lasting(tool), lasting(theirs?.[at])));
  // Its argument and one of its flags have the same name; only we describe the argument, which is what is required.
  assert.deepEqual(
    different?.map(({ name }) => name),
    ['stream_copy'],
  );
});

test('both give the same results, whatever the exit code', needsPeer, async () => {
  for (const [name, args] of [
    ['part_add', { name: 'bolt', count: 3, labels: ['red', '--x'] }],
    ['part_ls', {}],
    ['part_show', { name: 'bolt' }],
    ['part_show', { name: 'nothing' }],
    ['stock_check', { least: 4 }],
  ] as const) {
    const [ours, theirs] = await callBoth(name, args);
    assert.equal(ours.isError ?? false, false, ours.content[0]?.text);
    assert.deepEqual(ours.content, theirs.content, name);
    assert.equal(theirs.isError ?? false, false);
  }
});

test('both refuse arguments that do not fit, and names that nobody serves', needsPeer, async () => {
  const [ours, theirs] = await callBoth('part_add', {});
  // The other one leaves a missing argument to the command, which refuses it with its exit code.
  assert.equal(ours.isError, true);
  assert.match(theirs.content[0]?.text ?? '', /"exit_code":1/);
  for (const result of await callBoth('part_add', { name: 'x', unknown: 1 })) assert.equal(result.isError, true);
  for (const way of [served.ours, served.theirs]) {
    const client = await connect(way);
    await assert.rejects(client.callTool({ name: 'no_such_tool', arguments: {} }), { code: -32602 });
  }
});

test(
  'both ask before a gated call, in the same form, and run it on an explicit approval alone',
  needsPeer,
  async () => {
    const people = [new Person(), new Person()] as const;
    const set = (answer: ElicitResult) => {
      for (const person of people) person.answer = answer;
    };
    set({ action: 'accept', content: { approve: true } });
    const approved = await callBoth('close_clear', {}, people);
    assert.deepEqual(approved[0].content, approved[1].content);
    for (const result of approved) assert.equal(result.isError ?? false, false, result.content[0]?.text);
    for (const answer of [
      { action: 'accept', content: { approve: false } },
      { action: 'accept', content: { approve: 'true' } },
      { action: 'accept' },
      { action: 'decline' },
      { action: 'cancel' },
    ] as const) {
      set(answer);
      for (const result of await callBoth('close_clear', {}, people)) {
        assert.equal(result.isError, true, JSON.stringify(answer));
        assert.match(result.content[0]?.text ?? '', /close clear/);
      }
    }
    assert.deepEqual(
      people.map(({ questions }) => questions.length),
      [6, 6],
    );
    for (const { questions } of people) {
      for (const { message, requestedSchema } of questions) {
        assert.match(message, /close clear/);
        assert.match(message, /ai:confirm/);
        const { required, properties } = requestedSchema as { required: string[]; properties: Record<string, Result> };
        assert.deepEqual([required, Object.keys(properties)], [['approve'], ['approve']]);
      }
    }
  },
);

test('both refuse a gated call of a client that cannot ask', needsPeer, async () => {
  for (const result of await callBoth('close_clear', {})) {
    assert.equal(result.isError, true);
    assert.match(result.content[0]?.text ?? '', /close clear/);
  }
});
