import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { connect, startMicroService } from '../../src/nats/index.ts';
import { Slots } from '../../src/process/index.ts';
import { toolSubject } from '../../src/protocol/index.ts';
import { ToolCalls } from '../../src/serve/tool-calls.ts';
import type { Outcome, Tool } from '../../src/tools/index.ts';
import { memoryLog } from '../nats/worker.ts';
import { startNatsServer } from '../support/nats-server.ts';
import { WireCaller } from '../support/wire-caller.ts';

/** A tool of this program itself, which does whatever it does. */
function tool(name: string, execute: Tool['execute']): [string, Tool] {
  return [
    name,
    {
      name,
      description: name,
      modelDescription: name,
      inputSchema: { type: 'object' },
      mcpExposable: false,
      a2aExposable: true,
      definition: () => ({ name, description: name, inputSchema: { type: 'object' }, deferLoading: false }),
      execute,
    },
  ];
}

/** A service with these tools and one slot. */
async function serving(t: TestContext, ...tools: [string, Tool][]) {
  const nats = await startNatsServer();
  const connection = await connect({ servers: [nats.url], name: 'test' });
  const caller = await WireCaller.connect(nats.url);
  const { log } = memoryLog();
  const service = await startMicroService(connection, { identity: 'lab', agentVersion: '1', log });
  t.after(async () => {
    await service.stop();
    await caller.close();
    await connection.close();
    await nats.stop();
  });
  const slots = new Slots(1);
  const { counts, storms } = service;
  const limits = { slots, timeoutMs: 1_000 };
  const calls = new ToolCalls({ identity: 'lab', ...limits, counts, storms, log, tools: new Map(tools) });
  service.addEndpoint('tool', toolSubject('lab'), (request) => calls.handle(request));
  await service.ready();
  return { caller, slots, calls };
}

test('a tool that throws, rejects or gives nonsense is an error to its caller alone, and its slot is free again', async (t) => {
  const { caller, slots, calls } = await serving(
    t,
    tool('throws', () => {
      throw new Error('thrown');
    }),
    tool('rejects', () => Promise.reject(new Error('rejected'))),
    tool('odd', () => Promise.reject(undefined)),
    tool('nothing', async () => undefined as unknown as Outcome),
    tool('works', async () => ({ output: 'fine' })),
  );
  for (const [name, output] of [
    ['throws', /^thrown$/],
    ['rejects', /^rejected$/],
    ['odd', /./],
    ['nothing', /./],
  ] as const) {
    const [ack, reply, ...more] = await caller.call('lab', name);
    assert.equal(ack?.json?.['accepted'], true, name);
    const { is_error, code, output: told } = reply?.json ?? {};
    assert.deepEqual([reply?.final, is_error, code, more.length], [true, true, undefined, 0]);
    assert.match(String(told), output);
    assert.equal(slots.inUse, 0);
  }
  const [, reply] = await caller.call('lab', 'works');
  assert.deepEqual([reply?.json?.['output'], reply?.json?.['is_error']], ['fine', undefined]);
  assert.equal(calls.running, 0);
});

test('a tool that wants to ask a person is told that nobody is there, and denied', async (t) => {
  const { caller } = await serving(
    t,
    tool('asks', async (_context, _input, { prompter }) => {
      const gate = { callId: '1', command: 'rm', display: 'rm', tag: 'ai:confirm' };
      return { output: `${prompter?.canPrompt} ${(await prompter?.approveCommand(gate))?.value}` };
    }),
  );
  const [, reply] = await caller.call('lab', 'asks');
  assert.equal(reply?.json?.['output'], 'false no');
});
