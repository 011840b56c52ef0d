import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import type { ServiceRequest } from '../../src/nats/index.ts';
import { createLogger, StormLog } from '../../src/observe/index.ts';
import { childEnvironment, liveGroups, Slots } from '../../src/process/index.ts';
import { ToolCalls } from '../../src/serve/tool-calls.ts';
import { createToolSet, loadApplication, type Tool } from '../../src/tools/index.ts';
import { fixture } from '../support/tmp.ts';
import { waitFor } from '../support/wait.ts';
import { wireCall } from '../support/wire-caller.ts';

const noFilter = { tools: [], tags: [] };
let tools: ReadonlyMap<string, Tool>;

before(async () => {
  const environment = childEnvironment({ base: process.env, remove: [] });
  const options = { globalFlags: [], include: noFilter, exclude: noFilter, confirmTags: [] };
  tools = createToolSet((await loadApplication({ path: fixture('lab.sh'), environment, ...options })).tools).tools;
});

/** Calls are decided on here without a server between, so that its absence can be chosen. */
function admission() {
  const slots = new Slots(1);
  const lines: Record<string, unknown>[] = [];
  const destination = { write: (line: string) => void lines.push(JSON.parse(line)) };
  const log = createLogger({ level: 'info', format: 'json', destination });
  const calls = new ToolCalls({
    identity: 'lab',
    tools,
    slots,
    timeoutMs: 5_000,
    counts: { malformed: new Map(), foreignRecipients: 0, failedSends: 0 },
    storms: new StormLog(log),
    log,
  });
  return { calls, slots, lines };
}

/** A request that arrived, and what was answered to it. */
function arrived(body: string, connected = true, sent: Promise<boolean> = Promise.resolve(true)) {
  const answers: Record<string, unknown>[] = [];
  const take = (bytes: Uint8Array): boolean => {
    if (connected) answers.push(JSON.parse(Buffer.from(bytes).toString()));
    return connected;
  };
  const request: ServiceRequest = {
    data: Buffer.from(body),
    subject: 'choria.fisk-ai.tool.lab',
    replyTo: 'inbox',
    bodyLimit: 65_536,
    connected,
    refuseIfBusy: () => false,
    refuse: () => connected,
    send: (bytes) => take(bytes),
    end: (write) => take(write(65_536)),
    sent: () => sent,
  };
  return { request, answers };
}

test('nothing starts before the acknowledgement has left', async () => {
  const { calls } = admission();
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const { request, answers } = arrived(wireCall('lab', 'echo', { words: 'hello' }), true, promise);
  calls.handle(request);
  await delay(300);
  assert.equal(answers.length, 1, JSON.stringify(answers));
  resolve(true);
  await waitFor(() => answers.length === 2, { what: () => JSON.stringify(answers) });
});

test('a call that cannot be acknowledged starts nothing and takes no slot', async () => {
  const { calls, slots } = admission();
  const { request } = arrived(wireCall('lab', 'sleep', { seconds: '5' }), false);
  calls.handle(request);
  await new Promise(setImmediate);
  assert.deepEqual([slots.inUse, calls.running, liveGroups.size], [0, 0, 0]);
});

test('a call whose acknowledgement was lost on its way out starts nothing, takes no slot and hears nothing', async () => {
  const { calls, slots, lines } = admission();
  const { request, answers } = arrived(wireCall('lab', 'sleep', { seconds: '5' }), true, Promise.resolve(false));
  calls.handle(request);
  await delay(100);
  assert.deepEqual([slots.inUse, calls.running, liveGroups.size, answers.length], [0, 0, 0, 1]);
  assert.deepEqual(
    lines.map(({ msg }) => msg),
    ['tool call dropped before it started: its acknowledgement could not be sent'],
  );
});

test('a call that arrives while the daemon leaves is refused as such, and an unknown tool stays unknown', () => {
  const { calls, slots } = admission();
  calls.drain();
  for (const [tool, code] of [
    ['echo', 'draining'],
    ['nothing', 'unknown_tool'],
  ] as const) {
    const { request, answers } = arrived(wireCall('lab', tool));
    calls.handle(request);
    const [ack, reply] = answers;
    assert.deepEqual([answers.length, ack?.['accepted'], reply?.['is_error'], reply?.['code']], [2, false, true, code]);
  }
  assert.deepEqual([slots.inUse, liveGroups.size], [0, 0]);
});

test('a call that finds no slot is refused as an error with its code, and takes the slot once it is free', async () => {
  const { calls, slots } = admission();
  const release = slots.tryAcquire();
  const { request, answers } = arrived(wireCall('lab', 'echo'));
  calls.handle(request);
  const [ack, reply] = answers;
  assert.deepEqual([answers.length, ack?.['accepted']], [2, false]);
  assert.deepEqual([reply?.['is_error'], reply?.['code'], reply?.['exec']], [true, 'capacity', undefined]);
  assert.equal(reply?.['output'], ack?.['reason']);
  release?.();
  const second = arrived(wireCall('lab', 'echo'));
  calls.handle(second.request);
  assert.equal(slots.inUse, 1);
  await waitFor(() => second.answers.length === 2);
  assert.deepEqual([slots.inUse, second.answers[1]?.['output']], [0, '\n']);
});

test('a name of any length leaves a short line in the log', () => {
  const { calls, lines } = admission();
  calls.handle(arrived(wireCall('lab', 'x'.repeat(10_240))).request);
  assert.deepEqual(
    lines.map((line) => [line['msg'], line['tool']]),
    [['tool call refused', 'x'.repeat(128)]],
  );
});

test('names of any length leave short lines in the log', () => {
  const { calls, lines } = admission();
  const long = 'x'.repeat(200_000);
  const over = { sender: { name: long.slice(0, 10_000), instance: long }, recipient: { name: long } };
  calls.handle(arrived(wireCall('lab', 'nothing', {}, over)).request);
  assert.deepEqual(
    lines.map((line) => line['msg']),
    ['a message for another name is served', 'tool call refused'],
  );
  for (const line of lines) assert.ok(JSON.stringify(line).length < 7_000, String(line['msg']));
});
