import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connect, startMicroService } from '../../src/nats/index.ts';
import { Slots } from '../../src/process/index.ts';
import { toolSubject } from '../../src/protocol/index.ts';
import { ToolCalls } from '../../src/serve/tool-calls.ts';
import type { Outcome, Tool } from '../../src/tools/index.ts';
import { memoryLog } from '../nats/worker.ts';
import { startNatsServer } from '../support/nats-server.ts';
import { WireCaller } from '../support/wire-caller.ts';

/** A tool of this program itself, which does whatever it does. */
function tool(name: string, execute: () => Promise<Outcome>): [string, Tool] {
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

test('a tool that throws, rejects or gives nonsense is an error to its caller alone, and its slot is free again', async (t) => {
  const nats = await startNatsServer();
  const connection = await connect({ servers: [nats.url], name: 'test' });
  const caller = await WireCaller.connect(nats.url);
  t.after(async () => {
    await caller.close();
    await connection.close();
    await nats.stop();
  });
  const { log } = memoryLog();
  const service = await startMicroService(connection, { identity: 'lab', agentVersion: '1', log });
  const slots = new Slots(1);
  const calls = new ToolCalls({
    identity: 'lab',
    slots,
    timeoutMs: 1_000,
    counts: service.counts,
    log,
    tools: new Map([
      tool('throws', () => {
        throw new Error('thrown');
      }),
      tool('rejects', () => Promise.reject(new Error('rejected'))),
      tool('odd', () => Promise.reject(undefined)),
      tool('nothing', async () => undefined as unknown as Outcome),
      tool('works', async () => ({ output: 'fine' })),
    ]),
  });
  service.addEndpoint('tool', toolSubject('lab'), (request) => calls.handle(request));
  await service.ready();
  for (const [name, output] of [
    ['throws', /^thrown$/],
    ['rejects', /^rejected$/],
    ['odd', /./],
    ['nothing', /./],
  ] as const) {
    const [ack, reply, ...more] = await caller.call('lab', name);
    assert.equal(ack?.json?.['accepted'], true, name);
    assert.deepEqual(
      [reply?.final, reply?.json?.['is_error'], reply?.json?.['code'], more.length],
      [true, true, undefined, 0],
    );
    assert.match(String(reply?.json?.['output']), output);
    assert.equal(slots.inUse, 0);
  }
  const [, reply] = await caller.call('lab', 'works');
  assert.deepEqual([reply?.json?.['output'], reply?.json?.['is_error']], ['fine', undefined]);
  assert.equal(calls.running, 0);
  await service.stop();
});
