import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { ReplySet, type ServiceRequest } from '../../src/nats/index.ts';
import { decode, type Header, MESSAGE, type Message, NAMESPACE } from '../../src/protocol/index.ts';
import { startNatsServer } from '../support/nats-server.ts';
import { waitFor } from '../support/wait.ts';
import { WireCaller, wireCall } from '../support/wire-caller.ts';
import { memoryLog, startWorker } from './worker.ts';

const header = {
  protocol: MESSAGE.toolRequest,
  id: 'm',
  request: 'r',
  conversation: 'c',
  sequence: 0,
  time: '2026-08-21T10:11:12Z',
  sender: { name: 'caller' },
} as const satisfies Header;

const ACCEPT = [MESSAGE.ack, MESSAGE.toolReply, MESSAGE.eventStatus];

/** The sending end alone, so that sends can be made to fail at will. */
function outlet() {
  const sent: { message: Message; final: boolean }[] = [];
  const refusals: string[] = [];
  const outlet = {
    sent,
    refusals,
    works: true,
    connected: true,
    bodyLimit: 786_432,
    numbers: () => sent.map(({ message }) => message.sequence),
    kinds: () => sent.map(({ message }) => message.protocol.slice(NAMESPACE.length + 1)),
    request: undefined as unknown as ServiceRequest,
  };
  const take = (body: Uint8Array, final: boolean): boolean => {
    if (outlet.works) sent.push({ message: decode(body, ACCEPT).message, final });
    return outlet.works;
  };
  outlet.request = {
    data: new Uint8Array(0),
    subject: 'choria.fisk-ai.tool.lab',
    replyTo: 'inbox',
    get bodyLimit() {
      return outlet.bodyLimit;
    },
    get connected() {
      return outlet.connected;
    },
    refuseIfBusy: () => false,
    refuse: (status, description) => {
      refusals.push(`${status}:${description}`);
      return true;
    },
    send: (body) => take(body, false),
    end: (write) => take(write(outlet.bodyLimit), true),
    sent: async () => true,
  };
  return outlet;
}

const open = (out: ReturnType<typeof outlet>) =>
  new ReplySet(out.request, header, { sender: 'lab', log: memoryLog().log });

test('acknowledgement, signs of life and reply are numbered from 1 without holes, the last one marked', () => {
  const out = outlet();
  const set = open(out);
  assert.equal(set.ack(true), true);
  assert.equal(set.status('running-tool'), true);
  assert.equal(set.status('running-tool'), true);
  assert.equal(set.reply({ output: 'done' }), true);
  assert.deepEqual(out.kinds(), ['ack', 'event.status', 'event.status', 'tool.reply']);
  assert.deepEqual(out.numbers(), [1, 2, 3, 4]);
  assert.deepEqual(
    out.sent.map(({ final }) => final),
    [false, false, false, true],
  );
  const ids = new Set(out.sent.map(({ message }) => message.id));
  assert.equal(ids.size, 4);
  for (const { message } of out.sent) {
    assert.equal(message.request, 'r');
    assert.equal(message.conversation, 'c');
    assert.deepEqual(message.sender, { name: 'lab' });
    assert.deepEqual(message.recipient, { name: 'caller' });
  }
});

test('a number is used up only by what went out', () => {
  const out = outlet();
  const set = open(out);
  set.ack(true);
  out.works = false;
  assert.equal(set.status('a'), false);
  out.works = true;
  assert.equal(set.status('b'), true);
  set.reply({ output: '' });
  assert.deepEqual(out.numbers(), [1, 2, 3]);
});

test('nothing goes before the acknowledgement, nothing after the reply, and neither goes twice', () => {
  const out = outlet();
  const set = open(out);
  assert.equal(set.status('early'), false);
  assert.equal(set.ack(false, 'full'), true);
  assert.equal(set.ack(true), false);
  assert.equal(set.reply({ output: 'full', isError: true, code: 'capacity' }), true);
  assert.equal(set.status('late'), false);
  assert.equal(set.reply({ output: 'again' }), false);
  assert.deepEqual(out.kinds(), ['ack', 'tool.reply']);
  assert.deepEqual(out.numbers(), [1, 2]);
});

test('the reply is attempted although the acknowledgement could not be sent, and then has number 1', () => {
  const out = outlet();
  out.works = false;
  const set = open(out);
  assert.equal(set.ack(true), false);
  out.works = true;
  assert.equal(set.reply({ output: 'x' }), true);
  assert.deepEqual(out.numbers(), [1]);
});

test('a sign of life that cannot be sent ends the signs, not the set', async () => {
  const out = outlet();
  const set = open(out);
  set.ack(true);
  set.keepAlive('running-tool', 5);
  await waitFor(() => out.sent.length >= 3);
  out.works = false;
  await sleep(30);
  out.works = true;
  const before = out.sent.length;
  await sleep(30);
  assert.equal(out.sent.length, before);
  assert.equal(set.reply({ output: 'x' }), true);
});

test('signs of life pass over a time without connection and go on after it', async () => {
  const out = outlet();
  const set = open(out);
  set.ack(true);
  set.keepAlive('running-tool', 5);
  out.connected = false;
  await sleep(30);
  assert.equal(out.sent.length, 1);
  out.connected = true;
  await waitFor(() => out.sent.length >= 2);
  set.reply({ output: '' });
  const after = out.sent.length;
  await sleep(30);
  assert.equal(out.sent.length, after, 'nothing follows the reply');
  assert.deepEqual(
    out.numbers(),
    Array.from({ length: after }, (_, i) => i + 1),
  );
});

test('a reply that cannot be written at all is a refusal rather than silence', () => {
  const out = outlet();
  out.bodyLimit = 60;
  const set = open(out);
  assert.equal(set.ack(true), false);
  assert.equal(set.reply({ output: 'x' }), true);
  assert.deepEqual(out.refusals, ['500:the reply could not be written']);
});

test('a server that lets little through gets a shortened reply', async (t) => {
  const server = await startNatsServer({ config: 'max_payload: 16384' });
  const worker = await startWorker(server.url, 'lab', (set) => {
    set.ack(true);
    set.reply({ output: '"'.repeat(60_000), exec: { command: 'x', exitCode: 0, truncated: false } });
  });
  const caller = await WireCaller.connect(server.url);
  t.after(async () => {
    await caller.close();
    await worker.close();
    await server.stop();
  });
  const set = await caller.call('lab', 'x');
  assert.deepEqual(
    set.map((m) => m.kind),
    ['ack', 'tool.reply'],
  );
  assert.match(String(set[1]?.json?.['output']), /^"+\n\[\d+ of 60000 bytes left out\]$/);
});

test('on the wire the set stays in order while the worker does other things', async (t) => {
  const server = await startNatsServer();
  const worker = await startWorker(server.url, 'lab', async (set) => {
    set.ack(true);
    set.keepAlive('running-tool', 10);
    await sleep(55);
    set.reply({ output: 'done', exec: { command: 'x', exitCode: -1, truncated: true } });
  });
  const caller = await WireCaller.connect(server.url);
  t.after(async () => {
    await caller.close();
    await worker.close();
    await server.stop();
  });
  const sets = await Promise.all(
    Array.from({ length: 20 }, () => caller.send('choria.fisk-ai.tool.lab', wireCall('lab', 'x'))),
  );
  for (const set of sets) {
    assert.deepEqual(
      set.map((m) => m.json?.['sequence']),
      set.map((_, i) => i + 1),
    );
    assert.equal(set.filter((m) => m.final).length, 1);
    assert.ok(set.length >= 4);
    assert.deepEqual(set[1]?.json?.['block'], { phase: 'running-tool' });
    assert.deepEqual(set.at(-1)?.json?.['exec'], { command: 'x', exit_code: -1, truncated: true });
    for (const field of ['is_error', 'code', 'traceparent', 'parent']) assert.ok(!(field in (set.at(-1)?.json ?? {})));
  }
});
