import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { headers } from '@nats-io/nats-core';
import {
  type CallEvent,
  type CallOptions,
  type Connection,
  callTool,
  connect,
  idleBound,
} from '../../src/nats/index.ts';
import { natsServerVersions, startNatsServer, type TestNatsServer } from '../support/nats-server.ts';
import { waitFor } from '../support/wait.ts';
import { WireCaller, type WireTurn, wireWorker } from '../support/wire-caller.ts';
import { startWorker } from './worker.ts';

interface Scene {
  readonly server: TestNatsServer;
  readonly connection: Connection;
  readonly peer: WireCaller;
  readonly requests: Record<string, unknown>[];
  call(options?: Partial<CallOptions>): ReturnType<typeof callTool>;
}

/** A scripted worker on one side, the caller under test on the other. */
async function scene(t: TestContext, script: (turn: WireTurn) => void | Promise<void>): Promise<Scene> {
  const server = await startNatsServer();
  const peer = await WireCaller.connect(server.url);
  const connection = await connect({ servers: [server.url], name: 'test' });
  t.after(async () => {
    await connection.close();
    await peer.close();
    await server.stop();
  });
  const { requests } = wireWorker(peer.nc, 'choria.fisk-ai.tool.lab', 'lab', script);
  await peer.nc.flush();
  const base = { identity: 'lab', tool: 'x', sender: 'tester', idleTimeoutMs: 5_000 };
  return { server, connection, peer, requests, call: (options) => callTool(connection, { ...base, ...options }) };
}

const done = (turn: WireTurn, fields: Record<string, unknown> = { output: 'done' }) =>
  turn.say('tool.reply', fields, { final: true });

for (const version of natsServerVersions()) {
  test(`on ${version}: a call brings back output, command and exit code`, async (t) => {
    const server = await startNatsServer({ version });
    const worker = await startWorker(server.url, 'lab', (set, message) => {
      set.ack(true);
      set.status('running-tool');
      const exec = { command: `run ${message.input?.['a']}`, exitCode: 3, truncated: true };
      set.reply({ output: 'text', exec });
    });
    const connection = await connect({ servers: [server.url], name: 'test' });
    t.after(async () => {
      await connection.close();
      await worker.close();
      await server.stop();
    });
    await worker.service.ready();
    const events: CallEvent[] = [];
    const outcome = await callTool(connection, {
      identity: 'lab',
      tool: 'x',
      input: '{"a":"b"}',
      sender: 'tester',
      idleTimeoutMs: 5_000,
      onEvent: (event) => events.push(event),
    });
    assert.deepEqual(outcome.exec, { command: 'run b', exitCode: 3, truncated: true });
    assert.equal(outcome.output, 'text');
    assert.equal(outcome.isError, false);
    assert.equal(outcome.code, undefined);
    assert.deepEqual(
      events.map((event) => event.type),
      ['ack', 'event'],
    );
  });

  test(`on ${version}: nobody listening is known at once`, async (t) => {
    const server = await startNatsServer({ version });
    const connection = await connect({ servers: [server.url], name: 'test' });
    t.after(async () => {
      await connection.close();
      await server.stop();
    });
    const started = performance.now();
    await assert.rejects(callTool(connection, { identity: 'gone', tool: 'x', sender: 'me', idleTimeoutMs: 30_000 }), {
      code: 'FISK_NO_RESPONDERS',
      message: 'nobody listens on choria.fisk-ai.tool.gone',
    });
    assert.ok(performance.now() - started < 2_000);
  });

  test(`on ${version}: a subject that may not be published to fails at once and is named`, async (t) => {
    const config = `authorization: { users: [ { user: u, password: p, permissions: { publish: { deny: "choria.fisk-ai.tool.>" } } } ] }`;
    const server = await startNatsServer({ version, config });
    const connection = await connect({ servers: [server.url.replace('://', '://u:p@')], name: 'test' });
    t.after(async () => {
      await connection.close();
      await server.stop();
    });
    await assert.rejects(callTool(connection, { identity: 'lab', tool: 'x', sender: 'me', idleTimeoutMs: 30_000 }), {
      code: 'FISK_NATS_NOT_PERMITTED',
      message: /publish to choria\.fisk-ai\.tool\.lab/,
    });
  });

  test(`on ${version}: an inbox that may not be subscribed to fails at once, one under the allowed prefix works`, async (t) => {
    const permissions = '{ subscribe: "_MINE.>", publish: ">" }';
    const config = `authorization: { users: [ { user: u, password: p, permissions: ${permissions} }, { user: w, password: w } ] }`;
    const server = await startNatsServer({ version, config });
    const worker = await startWorker(server.url.replace('://', '://w:w@'), 'lab');
    const context = { name: 'c', servers: [server.url], user: 'u', password: 'p' };
    const outside = await connect({ context, name: 'test' });
    const inside = await connect({ context: { ...context, inboxPrefix: '_MINE' }, name: 'test' });
    t.after(async () => {
      await outside.close();
      await inside.close();
      await worker.close();
      await server.stop();
    });
    await worker.service.ready();
    const call = { identity: 'lab', tool: 'x', sender: 'me', idleTimeoutMs: 30_000 };
    await assert.rejects(callTool(outside, call), {
      code: 'FISK_NATS_NOT_PERMITTED',
      message: /subscribe to _INBOX\./,
    });
    assert.equal((await callTool(inside, call)).output, 'ran x\n');
  });
}

test('the request carries what it should and the input character for character', async (t) => {
  const { connection, peer, call } = await scene(t, (turn) => {
    turn.say('ack', { accepted: true });
    done(turn);
  });
  let raw = '';
  const spy = peer.nc.subscribe('choria.fisk-ai.tool.lab', {
    callback: (_, msg) => {
      raw = Buffer.from(msg.data).toString();
    },
  });
  await peer.nc.flush();
  await call({ input: '{"n":9007199254740993,"p":1.50}' });
  await waitFor(() => raw !== '');
  assert.ok(raw.endsWith(',"name":"x","input":{"n":9007199254740993,"p":1.50}}'), raw);
  const sent = JSON.parse(raw) as Record<string, unknown>;
  assert.deepEqual(Object.keys(sent), [
    'protocol',
    'id',
    'request',
    'conversation',
    'sequence',
    'time',
    'sender',
    'recipient',
    'name',
    'input',
  ]);
  assert.deepEqual([sent['sequence'], sent['sender'], sent['recipient']], [0, { name: 'tester' }, { name: 'lab' }]);
  assert.match(String(sent['request']), /^[0-9A-Za-z]{27}$/);
  raw = '';
  await call({ input: 'null' });
  await waitFor(() => raw !== '');
  assert.ok(!('input' in (JSON.parse(raw) as object)));
  spy.unsubscribe();
  for (const input of ['[1]', '{']) await assert.rejects(call({ input }), { code: 'FISK_MESSAGE_INVALID' });
  await assert.rejects(call({ identity: 'a.b' }), { code: 'FISK_IDENTITY_INVALID' });
  await assert.rejects(call({ sender: 'a b' }), { code: 'FISK_MESSAGE_INVALID' });
  await assert.rejects(call({ input: JSON.stringify({ a: 'x'.repeat(800_000) }) }), { code: 'FISK_MESSAGE_TOO_LARGE' });
  await connection.flush();
});

test('strays of other requests and unreadable bodies are passed over', async (t) => {
  const { call } = await scene(t, (turn) => {
    turn.raw('not json');
    turn.raw('');
    turn.raw('[]');
    turn.say('ack', { accepted: true, request: 'another' });
    turn.say('tool.reply', { output: 'wrong', request: 'another' }, { final: true });
    turn.say('ack', { accepted: true });
    turn.say('event.zebra', { block: { stripes: 1 } });
    done(turn, { output: 'right' });
  });
  const events: CallEvent[] = [];
  const outcome = await call({ onEvent: (event) => events.push(event) });
  assert.equal(outcome.output, 'right');
  assert.equal(outcome.reply.sequence, 5);
  assert.deepEqual(
    events.map((event) => event.type),
    ['ack', 'event'],
  );
});

test('a result without acknowledgement counts, and so does one without the mark of the last message', async (t) => {
  const { call } = await scene(t, (turn) => turn.say('tool.reply', { output: 'bare' }));
  assert.equal((await call()).output, 'bare');
});

for (const [what, code, script] of [
  [
    'two acknowledgements',
    'FISK_REPLY_INVALID',
    (turn: WireTurn) => {
      turn.say('ack', { accepted: true });
      turn.say('ack', { accepted: true });
    },
  ],
  [
    'a message that belongs to prompts',
    'FISK_REPLY_INVALID',
    (turn: WireTurn) => turn.say('result', { stop_reason: 'end_turn' }),
  ],
  ['an unknown message', 'FISK_REPLY_INVALID', (turn: WireTurn) => turn.say('zebra')],
  ['a reply of the wrong shape', 'FISK_REPLY_INVALID', (turn: WireTurn) => done(turn, { output: 7 })],
  [
    'an unknown event that must be understood',
    'FISK_REPLY_INVALID',
    (turn: WireTurn) => turn.say('event.zebra', { block: {}, must_understand: true }),
  ],
  [
    'an end without a result',
    'FISK_REPLY_INCOMPLETE',
    (turn: WireTurn) => {
      turn.say('ack', { accepted: true });
      turn.say('event.status', { block: {} }, { final: true });
    },
  ],
  ['a refusal with 400', 'FISK_REQUEST_REFUSED', (turn: WireTurn) => turn.refuse('400', 'bad thing')],
  [
    'a refusal with 500 in the middle',
    'FISK_REQUEST_REFUSED',
    (turn: WireTurn) => {
      turn.say('ack', { accepted: true });
      turn.refuse('500', 'broken');
    },
  ],
] as const) {
  test(`${what} ends the call with ${code}`, async (t) => {
    const { call } = await scene(t, script);
    await assert.rejects(call(), { code });
  });
}

test('a known event that must be understood is understood', async (t) => {
  const { call } = await scene(t, (turn) => {
    turn.say('ack', { accepted: true });
    turn.say('event.status', { block: { phase: 'running-tool' }, must_understand: true });
    done(turn);
  });
  assert.equal((await call()).output, 'done');
});

test('a refusal says its number and description', async (t) => {
  const { call } = await scene(t, (turn) => turn.refuse('404', 'no such question'));
  await assert.rejects(call(), { status: 404, description: 'no such question' });
});

test('no acknowledgement, silence after it, and the own deadline are three different ends', async (t) => {
  let say = (_: WireTurn) => {};
  const { call } = await scene(t, (turn) => say(turn));
  await assert.rejects(call({ idleTimeoutMs: 100 }), { code: 'FISK_NO_ACK', message: /within 100 ms/ });
  say = (turn) => turn.say('ack', { accepted: true });
  await assert.rejects(call({ idleTimeoutMs: 100 }), { code: 'FISK_PEER_SILENT' });
  await assert.rejects(call({ idleTimeoutMs: 5_000, timeoutMs: 150 }), {
    code: 'FISK_CALL_TIMEOUT',
    message: /150 ms/,
  });
});

test('an acknowledgement is waited for no longer than ten seconds, however patient the caller is', async (t) => {
  const { connection, call } = await scene(t, () => {});
  await connection.flush();
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let ended = false;
  const end = assert
    .rejects(call({ idleTimeoutMs: 120_000 }), { code: 'FISK_NO_ACK', message: /10000 ms/ })
    .then(() => {
      ended = true;
    });
  t.mock.timers.tick(9_999);
  // The server has confirmed by now, so that nothing but the acknowledgement is missing.
  await connection.nc.flush();
  assert.equal(ended, false);
  t.mock.timers.tick(1);
  await end;
  t.mock.timers.reset();
});

test('each message starts the silence anew, also one of an unknown kind, and its bound is no bound of the whole', async (t) => {
  const { call } = await scene(t, async (turn) => {
    turn.say('ack', { accepted: true });
    for (let i = 0; i < 6; i++) {
      await sleep(100);
      turn.say(i % 2 === 0 ? 'event.zebra' : 'event.status', { block: {} });
    }
    done(turn);
  });
  assert.equal((await call({ idleTimeoutMs: 300 })).output, 'done');
});

test('a stray does not keep a silent call alive', async (t) => {
  const { call } = await scene(t, async (turn) => {
    turn.say('ack', { accepted: true });
    for (let i = 0; i < 10; i++) {
      await sleep(50);
      turn.say('event.status', { block: {}, request: 'another' });
    }
  });
  await assert.rejects(call({ idleTimeoutMs: 200 }), { code: 'FISK_PEER_SILENT' });
});

test('giving up ends the wait at once, before and during the call', async (t) => {
  const { call, requests } = await scene(t, (turn) => turn.say('ack', { accepted: true }));
  await assert.rejects(call({ signal: AbortSignal.abort() }), { code: 'FISK_CALL_CANCELLED' });
  assert.equal(requests.length, 0);
  const controller = new AbortController();
  const pending = call({ signal: controller.signal, onEvent: () => controller.abort() });
  await assert.rejects(pending, { code: 'FISK_CALL_CANCELLED' });
  assert.equal(requests.length, 1);
});

const refuse = (turn: WireTurn, code: string, hint?: number) => {
  turn.say('ack', { accepted: false, reason: 'busy' });
  done(turn, {
    is_error: true,
    code,
    output: 'all slots are busy',
    ...(hint === undefined ? {} : { fisk_ts: { retry_after_ms: hint, in_use: 1, limit: 1 } }),
  });
};

test('a full worker is asked again twice, and then its own words are the outcome', async (t) => {
  const { call, requests } = await scene(t, (turn) => refuse(turn, 'capacity'));
  const events: CallEvent[] = [];
  const outcome = await call({ retries: 10, onEvent: (event) => events.push(event) });
  assert.equal(requests.length, 3, 'more than two more tries cannot be asked for');
  assert.equal(new Set(requests.map((request) => request['request'])).size, 3, 'each try is a request of its own');
  assert.deepEqual([outcome.isError, outcome.code, outcome.output], [true, 'capacity', 'all slots are busy']);
  const delays = events.filter((event) => event.type === 'retry').map((event) => event.delayMs);
  assert.equal(delays.length, 2);
  for (const delay of delays) assert.ok(delay >= 100 && delay <= 1_000, `${delay}`);
});

test('a slot that becomes free is taken by a retry, sooner when the worker hints so', async (t) => {
  let tries = 0;
  const { call } = await scene(t, (turn) => {
    tries++;
    if (tries === 1) return refuse(turn, 'capacity', 100);
    turn.say('ack', { accepted: true });
    done(turn);
  });
  const events: CallEvent[] = [];
  const outcome = await call({ onEvent: (event) => events.push(event) });
  assert.equal(outcome.output, 'done');
  const [retry] = events.filter((event) => event.type === 'retry');
  assert.ok(retry !== undefined && retry.delayMs >= 100 && retry.delayMs <= 200, JSON.stringify(retry));
});

test('the waits between tries are spread over their whole range', async (t) => {
  const { call } = await scene(t, (turn) => refuse(turn, 'capacity'));
  const chances = [0, 0.5];
  t.mock.method(Math, 'random', () => chances.shift() ?? 0);
  const delays: number[] = [];
  await call({ onEvent: (event) => void (event.type === 'retry' && delays.push(event.delayMs)) });
  assert.deepEqual(delays, [100, 550]);
});

test('what may have run is never tried again', async (t) => {
  for (const code of ['interrupted', 'timeout', 'unknown_tool', 'invalid_input', 'something_new']) {
    const { call, requests } = await scene(t, (turn) => refuse(turn, code));
    const outcome = await call();
    assert.equal(outcome.code, code);
    assert.equal(requests.length, 1, code);
  }
  const { call, requests } = await scene(t, (turn) => done(turn, { code: 'capacity', exec: { command: 'x' } }));
  assert.equal((await call()).isError, false);
  assert.equal(requests.length, 1, 'a code beside a result is no refusal');
});

test('retries are bounded by the time of the whole call, can be given up, and can be switched off', async (t) => {
  const { call, requests } = await scene(t, (turn) => refuse(turn, 'draining'));
  assert.equal((await call({ retries: 0 })).code, 'draining');
  assert.equal(requests.length, 1);
  assert.equal((await call({ timeoutMs: 90 })).code, 'draining');
  assert.equal(requests.length, 2);
  const controller = new AbortController();
  const onEvent = (event: CallEvent) => {
    if (event.type === 'retry') controller.abort();
  };
  await assert.rejects(call({ signal: controller.signal, onEvent }), { code: 'FISK_CALL_CANCELLED' });
});

test('a connection that ends for good in the middle ends the call', async (t) => {
  const auth = (password: string) => `authorization: { user: u, password: ${password} }`;
  const server = await startNatsServer({ config: auth('one') });
  const worker = await startWorker(server.url.replace('://', '://u:one@'), 'lab', (set) => void set.ack(true));
  const connection = await connect({ servers: [server.url.replace('://', '://u:one@')], name: 'test' });
  t.after(async () => {
    await connection.close();
    await worker.close();
    await server.stop();
  });
  await worker.service.ready();
  const pending = callTool(connection, {
    identity: 'lab',
    tool: 'x',
    sender: 'me',
    idleTimeoutMs: 60_000,
    onEvent: () => void server.restart(auth('two')),
  });
  await assert.rejects(pending, { code: 'FISK_NATS_CONNECTION_LOST' });
});

test('a dead connection shows at once and not after the whole patience', async (t) => {
  const { server, connection, call } = await scene(t, () => {});
  await server.stop();
  await waitFor(() => !connection.connected);
  const started = performance.now();
  await assert.rejects(call({ idleTimeoutMs: 60_000 }), { code: 'FISK_NATS_CONNECTION_LOST' });
  assert.ok(performance.now() - started < 11_000);
});

test('nothing of a call outlives it', async (t) => {
  const { connection, call } = await scene(t, (turn) => {
    turn.say('ack', { accepted: true });
    done(turn);
  });
  const subscriptions = () =>
    (connection.nc as unknown as { protocol: { subscriptions: { size(): number } } }).protocol.subscriptions.size();
  const before = subscriptions();
  const controller = new AbortController();
  for (let i = 0; i < 30; i++) await call({ signal: controller.signal });
  await assert.rejects(call({ identity: 'nobody' }));
  await assert.rejects(call({ signal: controller.signal, onEvent: () => controller.abort() }));
  assert.equal(subscriptions(), before);
});

test('silence is borne for three signs of life at the least', () => {
  assert.equal(idleBound(1_000), 30_000);
  assert.equal(idleBound(120_000), 120_000);
});

test('a set that ends with what nobody can read is incomplete at once', async (t) => {
  for (const body of ['', 'no json', '[]', '{"request":7}']) {
    const { peer, connection, call } = await scene(t, (turn) => {
      turn.say('ack', { accepted: true });
    });
    peer.nc.subscribe('choria.fisk-ai.tool.lab', {
      callback: (_, msg) => {
        const final = headers();
        final.set('Fisk-AI-Stream-Final', 'true');
        setTimeout(() => msg.respond(body, { headers: final }), 50);
      },
    });
    await peer.nc.flush();
    const started = performance.now();
    await assert.rejects(call(), { code: 'FISK_REPLY_INCOMPLETE' });
    assert.ok(performance.now() - started < 2_000);
    await connection.close();
  }
});
