import assert from 'node:assert/strict';
import { connect as dial } from 'node:net';
import { type TestContext, test } from 'node:test';
import { callTool, type ReplySet } from '../../src/nats/index.ts';
import { nats, natsCli } from '../support/nats-cli.ts';
import {
  type NatsServerOptions,
  natsServerVersions,
  startNatsServer,
  type TestNatsServer,
} from '../support/nats-server.ts';
import { waitFor } from '../support/wait.ts';
import { WireCaller, wireCall, wireHeader } from '../support/wire-caller.ts';
import { type Handle, startWorker } from './worker.ts';

type Json = Record<string, unknown>;

/** A server, a worker on it and a caller, all gone when the test ends. */
async function scene(t: TestContext, handle?: Handle, options?: NatsServerOptions) {
  const server = await startNatsServer(options);
  const worker = await startWorker(server.url, 'lab', handle);
  const caller = await WireCaller.connect(server.url);
  t.after(async () => {
    await caller.close();
    await worker.close();
    await server.stop();
  });
  await worker.service.ready();
  return { server, worker, caller };
}

async function ask(caller: WireCaller, subject: string): Promise<Json> {
  const answer = await caller.nc.request(subject, '', { timeout: 2_000 });
  return answer.json<Json>();
}

for (const version of natsServerVersions()) {
  test(`on ${version}: the service answers ping, info and stats in all their forms`, async (t) => {
    const { caller } = await scene(t, undefined, { version });
    const metadata = { protocol: 'io.choria.fisk-ai.v1', agent_version: '9.9.9-test', implementation: 'fisk-ts' };
    const { id } = await ask(caller, '$SRV.PING');
    for (const verb of ['PING', 'INFO', 'STATS']) {
      for (const form of ['', '.lab', `.lab.${id}`]) {
        const answer = await ask(caller, `$SRV.${verb}${form}`);
        assert.equal(answer['type'], `io.nats.micro.v1.${verb.toLowerCase()}_response`);
        assert.equal(answer['name'], 'lab');
        assert.equal(answer['version'], '0.0.0');
        assert.deepEqual(answer['metadata'], metadata);
      }
    }
    const info = await ask(caller, '$SRV.INFO.lab');
    assert.equal(info['description'], 'fisk-ai a2a tool server');
    assert.deepEqual(info['endpoints'], [
      { name: 'discovery', subject: 'choria.fisk-ai.discovery.lab', queue_group: 'lab', metadata },
      { name: 'tool', subject: 'choria.fisk-ai.tool.lab', queue_group: 'lab', metadata },
    ]);
  });

  test(`on ${version}: the numbers count refusals with their text, and no failed or refused tool`, async (t) => {
    const handle: Handle = (set, message) => {
      const refused = message.name === 'full';
      set.ack(!refused, refused ? 'busy' : undefined);
      set.reply(refused ? { output: 'busy', isError: true, code: 'capacity' } : { output: 'failed', isError: true });
    };
    const { worker, caller } = await scene(t, handle, { version });
    await caller.call('lab', 'full');
    await caller.call('lab', 'broken');
    await caller.send('choria.fisk-ai.tool.lab', 'no json');
    await caller.send('choria.fisk-ai.tool.lab', '');
    const stats = await ask(caller, '$SRV.STATS.lab');
    const [discovery, tool] = stats['endpoints'] as Json[];
    assert.deepEqual([discovery?.['num_requests'], discovery?.['num_errors'], discovery?.['last_error']], [0, 0, '']);
    assert.deepEqual([tool?.['num_requests'], tool?.['num_errors']], [4, 2]);
    assert.equal(tool?.['last_error'], '400:the body is empty');
    assert.equal(tool?.['queue_group'], 'lab');
    const [total, average] = [Number(tool?.['processing_time']), Number(tool?.['average_processing_time'])];
    assert.ok(Number.isInteger(total) && total > 10_000, 'nanoseconds, not milliseconds');
    assert.equal(average, Math.round(total / 4));
    assert.deepEqual([...worker.service.counts.malformed], [['json', 2]]);
  });

  test(`on ${version}: the real client lists the service, its endpoints and its numbers`, {
    skip: natsCli() === undefined,
  }, async (t) => {
    const server = await startNatsServer({ version });
    const worker = await startWorker(server.url, 'nats-tools');
    t.after(async () => {
      await worker.close();
      await server.stop();
    });
    await worker.service.ready();
    const list = await nats(server.url, 'micro', 'ls');
    assert.match(list.stdout, /nats-tools[^\n]*0\.0\.0/);
    const info = await nats(server.url, 'micro', 'info', 'nats-tools');
    assert.equal(info.code, 0, info.stderr);
    assert.match(info.stdout, /choria\.fisk-ai\.tool\.nats-tools/);
    assert.match(info.stdout, /fisk-ts/);
    const stats = await nats(server.url, 'micro', 'stats', 'nats-tools');
    assert.equal(stats.code, 0, stats.stderr);
    assert.match(stats.stdout, /discovery/);
  });

  test(`on ${version}: a subscription that is refused is a fault that names the subject`, async (t) => {
    for (const denied of ['choria.fisk-ai.tool.lab', '$SRV.INFO.lab']) {
      const config = `authorization: { users: [ { user: u, password: p, permissions: { subscribe: { deny: "${denied}" } } } ] }`;
      const server = await startNatsServer({ version, config });
      t.after(() => server.stop());
      const worker = await startWorker(server.url.replace('://', '://u:p@'), 'lab');
      const error = await worker.service.ready().then(
        () => assert.fail('ready'),
        (cause: Error & { code: string }) => cause,
      );
      assert.equal(error.code, 'FISK_SERVICE_STOPPED');
      assert.ok(error.message.includes(denied), error.message);
      assert.equal(await worker.service.fault, error);
      await worker.close();
    }
  });

  test(`on ${version}: a subscription more than the user may have is a fault, at the start and for a caller`, async (t) => {
    const server = await startNatsServer({ version, config: 'max_subscriptions: 10' });
    t.after(() => server.stop());
    const deaf = await startWorker(server.url, 'lab');
    t.after(() => deaf.connection.close());
    await assert.rejects(deaf.service.ready(), {
      code: 'FISK_SERVICE_STOPPED',
      message: /refused a subscription.*maximum subscriptions/,
    });
    await server.restart('max_subscriptions: 11');
    const worker = await startWorker(server.url, 'lab');
    await worker.service.ready();
    const call = { identity: 'lab', tool: 'x', sender: 'me', idleTimeoutMs: 30_000 };
    // Its inbox is one too many for this connection, which the service needs whole.
    await assert.rejects(callTool(worker.connection, call), {
      code: 'FISK_NATS_NOT_PERMITTED',
      message: /maximum subscriptions/,
    });
    assert.match((await worker.service.fault).message, /maximum subscriptions/);
    await worker.close();
  });

  test(`on ${version}: permission taken away while serving is a fault`, async (t) => {
    const users = (...deny: string[]) =>
      `authorization: { users: [ { user: u, password: p, permissions: { subscribe: { deny: ${JSON.stringify(deny)} } } } ] }`;
    const server = await startNatsServer({ version, config: users('nothing') });
    t.after(() => server.stop());
    const worker = await startWorker(server.url.replace('://', '://u:p@'), 'lab');
    await worker.service.ready();
    await server.reload(users('choria.fisk-ai.discovery.lab', 'choria.fisk-ai.tool.lab'));
    const error = await worker.service.fault;
    assert.match(error.message, /choria\.fisk-ai\.(discovery|tool)\.lab/);
    await waitFor(() => worker.lines.filter((line) => line.msg === 'refused by NATS').length === 2);
    const ends = worker.lines.filter((line) => line.msg === 'service stopped');
    assert.deepEqual(
      ends.map((line) => line['error']),
      [error.message],
      'the first fault is the one that counts',
    );
    await worker.close();
  });

  test(`on ${version}: a reply that may not be published is logged and the service lives`, async (t) => {
    const users = `authorization: { users: [
      { user: u, password: p, permissions: { publish: { deny: "_SECRET.>" } } }, { user: c, password: c } ] }`;
    const server = await startNatsServer({ version, config: users });
    const worker = await startWorker(server.url.replace('://', '://u:p@'), 'lab');
    const caller = await WireCaller.connect(server.url, { user: 'c', pass: 'c' });
    t.after(async () => {
      await caller.close();
      await worker.close();
      await server.stop();
    });
    await worker.service.ready();
    caller.nc.publish('choria.fisk-ai.tool.lab', wireCall('lab', 'x'), { reply: '_SECRET.inbox' });
    await waitFor(() => worker.lines.some((line) => line['subject'] === '_SECRET.inbox' && line.level === 'warn'));
    await waitFor(() => worker.service.counts.failedSends === 2, { what: 'acknowledgement and reply to be counted' });
    assert.equal((await caller.call('lab', 'x')).at(-1)?.kind, 'tool.reply');
  });

  test(`on ${version}: a connection that ends for good is a fault, our own stop is none`, async (t) => {
    const auth = (password: string) => `authorization: { user: u, password: ${password} }`;
    const server = await startNatsServer({ version, config: auth('one') });
    t.after(() => server.stop());
    const url = server.url.replace('://', '://u:one@');
    const quiet = await startWorker(url, 'quiet');
    const worker = await startWorker(url, 'lab');
    await worker.service.ready();
    let faulted = false;
    void quiet.service.fault.then(() => {
      faulted = true;
    });
    await quiet.close();
    await server.restart(auth('two'));
    const error = (await worker.service.fault) as Error & { code: string };
    assert.equal(error.code, 'FISK_NATS_CONNECTION_LOST');
    assert.equal(faulted, false);
    await worker.close();
  });

  test(`on ${version}: subscriptions come back with the server`, async (t) => {
    const server = await startNatsServer({ version });
    const worker = await startWorker(server.url, 'lab');
    t.after(async () => {
      await worker.close();
      await server.stop();
    });
    await worker.service.ready();
    await server.restart();
    await waitFor(() => worker.lines.some((line) => line.msg === 'reconnected to NATS'), { timeout: 10_000 });
    const caller = await WireCaller.connect(server.url);
    assert.equal((await caller.call('lab', 'x')).at(-1)?.kind, 'tool.reply');
    await caller.close();
  });

  test(`on ${version}: two workers of one identity answer each request once between them`, async (t) => {
    const server = await startNatsServer({ version });
    const workers = [await startWorker(server.url, 'lab'), await startWorker(server.url, 'lab')];
    const caller = await WireCaller.connect(server.url);
    t.after(async () => {
      await caller.close();
      for (const worker of workers) await worker.close();
      await server.stop();
    });
    for (const worker of workers) await worker.service.ready();
    const sets = await Promise.all(Array.from({ length: 100 }, () => caller.call('lab', 'x')));
    for (const set of sets)
      assert.deepEqual(
        set.map((m) => m.kind),
        ['ack', 'tool.reply'],
      );
    const handled = workers.map((worker) => worker.handled);
    assert.equal((handled[0] ?? 0) + (handled[1] ?? 0), 100);
    assert.ok(
      handled.every((count) => count > 0),
      `${handled}`,
    );
    const pings = await caller.nc.requestMany('$SRV.PING', '', { maxWait: 500 });
    let answers = 0;
    for await (const _ of pings) answers++;
    assert.equal(answers, 2);
  });
}

test('after a stop nobody listens any more, and what was accepted can still be answered', async (t) => {
  const server = await startNatsServer();
  let finish: () => void = () => {};
  const worker = await startWorker(server.url, 'lab', async (set) => {
    set.ack(true);
    await new Promise<void>((resolve) => {
      finish = resolve;
    });
    set.reply({ output: 'late' });
  });
  const caller = await WireCaller.connect(server.url);
  t.after(async () => {
    await caller.close();
    await worker.connection.close();
    await server.stop();
  });
  const open = caller.open('choria.fisk-ai.tool.lab', wireCall('lab', 'x'));
  await waitFor(() => open.messages.length === 1);
  await worker.service.stop();
  assert.equal((await caller.call('lab', 'x'))[0]?.nobody, true);
  finish();
  await waitFor(() => open.ended());
  assert.equal(open.messages.at(-1)?.json?.['output'], 'late');
  open.close();
});

test('malformed requests of every kind are refused with 400 and one line of reason, and cost nobody else anything', async (t) => {
  const { worker, caller } = await scene(t);
  const request = (over: Json) => JSON.stringify(wireHeader('tool.request', 'lab', { name: 'x', ...over }));
  const bodies: [string, string][] = [
    ['empty', ''],
    ['no JSON', 'hello'],
    ['an array', '[]'],
    ['trailing text', `${request({})} x`],
    ['900 KiB of spaces', ' '.repeat(900 * 1024)],
    ['a foreign protocol', request({ protocol: 'io.choria.fisk-ai.v9.tool.request' })],
    ['a card request', JSON.stringify(wireHeader('discovery.request', 'lab'))],
    ['input null', request({ input: null })],
    ['no name', request({ name: undefined })],
    ['a time with a line break', request({ time: 'a\nb' })],
    ['an unknown protocol with line breaks', request({ protocol: 'a\r\nNats-Service-Error-Code: 200' })],
    ['too deep', `${request({}).slice(0, -1)},"input":${'{"a":'.repeat(100)}1${'}'.repeat(100)}}`],
  ];
  for (const [what, body] of bodies) {
    const answers = await caller.send('choria.fisk-ai.tool.lab', body);
    assert.equal(answers.length, 1, what);
    assert.equal(answers[0]?.refusal?.code, '400', what);
    assert.notEqual(answers[0]?.refusal?.description, '', what);
    assert.equal(answers[0]?.final, false, what);
  }
  assert.equal(worker.handled, 0);
  const counted = [...worker.service.counts.malformed.values()].reduce((sum, count) => sum + count, 0);
  assert.equal(counted, bodies.length);
  const logged = worker.lines.filter((line) => line.msg === 'malformed message refused');
  // The first ten get a line each, and the rest one together.
  worker.service.storms.close();
  const rest = worker.lines.filter(({ line }) => line === 'malformed message refused').map(({ lines }) => lines);
  assert.deepEqual([logged.length, rest], [10, [bodies.length - 10]]);
  assert.deepEqual(logged.map((line) => line['class']).slice(0, 7), [
    'json',
    'json',
    'json',
    'json',
    'size',
    'protocol',
    'family',
  ]);
  assert.equal(logged[0]?.['sender'], 'unknown');
  assert.equal(logged[5]?.['sender'], 'wire-caller');
  assert.equal(logged[4]?.['bytes'], 900 * 1024);
  assert.equal((await caller.call('lab', 'x')).at(-1)?.kind, 'tool.reply');
});

test('a subscription that ends for no reason of ours is a fault of the whole service', async (t) => {
  const { worker, caller } = await scene(t);
  const { subscriptions } = (
    worker.connection.nc as unknown as {
      protocol: { subscriptions: { all(): { getSubject(): string; unsubscribe(): void }[] } };
    }
  ).protocol;
  const discovery = subscriptions.all().find((one) => one.getSubject() === 'choria.fisk-ai.discovery.lab');
  discovery?.unsubscribe();
  const error = (await worker.service.fault) as Error & { code: string };
  assert.equal(error.code, 'FISK_SERVICE_STOPPED');
  assert.match(error.message, /choria\.fisk-ai\.discovery\.lab/);
  assert.equal((await caller.call('lab', 'x'))[0]?.nobody, true, 'the tools went with it');
});

test('while there is no server a sign of life is not tried and a final reply waits', async (t) => {
  let set: ReplySet | undefined;
  const { server, worker, caller } = await scene(t, (opened) => {
    set = opened;
    opened.ack(true);
  });
  const open = caller.open('choria.fisk-ai.tool.lab', wireCall('lab', 'x'));
  await waitFor(() => open.messages.length === 1);
  await server.stop();
  await waitFor(() => !worker.connection.connected && caller.nc.isClosed() === false);
  assert.equal(set?.status('running-tool'), false);
  assert.equal(set?.reply({ output: 'late' }), true);
  assert.equal(worker.service.counts.failedSends, 0);
  assert.equal(worker.service.heldCounts.held, 1);
  open.close();
});

test('an endpoint is there once: a second of its name would take half of its requests', async (t) => {
  const { worker } = await scene(t);
  assert.throws(() => worker.service.addEndpoint('discovery', 'choria.fisk-ai.discovery.lab', () => {}), /discovery/);
});

test('a request without reply subject runs nothing and leaves one line', async (t) => {
  let ran = 0;
  const { worker, caller } = await scene(t, (set) => {
    if (set.ack(true)) ran++;
  });
  caller.nc.publish('choria.fisk-ai.tool.lab', wireCall('lab', 'x', {}, { request: 'r-unheard' }));
  await waitFor(() => worker.handled === 1);
  assert.equal(ran, 0);
  const warned = worker.lines.filter((line) => line.level === 'warn');
  assert.deepEqual(
    warned.map((line) => [line.msg, line['request']]),
    [['an answer could not be sent', 'r-unheard']],
  );
  assert.equal(worker.service.counts.failedSends, 1);
});

test('a handler that throws or rejects is a 500 to its caller and nothing to anybody else', async (t) => {
  const { worker, caller } = await scene(t, (_, message) => {
    if (message.name === 'throws') throw new Error('a secret\nof ours');
    if (message.name === 'rejects') return Promise.reject(new Error('another'));
    if (message.name === 'odd') throw undefined;
    return undefined;
  });
  for (const tool of ['throws', 'rejects', 'odd']) {
    const answers = await caller.call('lab', tool);
    assert.deepEqual(
      answers.map((m) => m.refusal),
      [{ code: '500', description: 'the request could not be handled' }],
    );
  }
  assert.equal((await caller.card('lab')).json?.['name'], 'lab');
  assert.equal(worker.lines.filter((line) => line.level === 'error').length, 3);
});

test('a message for another name is served, logged and counted', async (t) => {
  const { worker, caller } = await scene(t);
  const set = await caller.call('lab', 'x', undefined, { recipient: { name: 'other' } });
  assert.equal(set.at(-1)?.json?.['output'], 'ran x\n');
  assert.equal(worker.service.counts.foreignRecipients, 1);
  assert.ok(worker.lines.some((line) => line['recipient'] === 'other' && line['sender'] === 'wire-caller'));
});

/** Speaks to the server itself, so that nothing stands between the test and the bytes. */
async function rawAnswer(server: TestNatsServer, subject: string, body: string, until: string): Promise<string> {
  const socket = dial(server.port, '127.0.0.1');
  let received = '';
  socket.on('data', (chunk: Buffer) => {
    received += chunk.toString('latin1');
  });
  socket.write('CONNECT {"verbose":false,"headers":true,"no_responders":true,"lang":"raw","version":"1"}\r\n');
  socket.write(`SUB raw.inbox 1\r\nPUB ${subject} raw.inbox ${Buffer.byteLength(body)}\r\n${body}\r\nPING\r\n`);
  await waitFor(() => received.includes(until), { what: () => `${until} in ${received}` });
  socket.destroy();
  return received;
}

test('header names leave with exactly their case, byte for byte', async (t) => {
  const { server } = await scene(t);
  const set = await rawAnswer(server, 'choria.fisk-ai.tool.lab', wireCall('lab', 'x'), 'tool.reply');
  const [ack = '', ...rest] = set.split(/\r\n(?=H?MSG raw\.inbox)/).slice(1);
  assert.match(ack, /^MSG raw\.inbox 1 \d+\r\n\{.*"accepted":true\}$/, 'the acknowledgement has no headers at all');
  assert.match(rest.join(''), /^HMSG raw\.inbox 1 40 \d+\r\nNATS\/1\.0\r\nFisk-AI-Stream-Final: true\r\n\r\n\{/);
  const refused = await rawAnswer(server, 'choria.fisk-ai.tool.lab', '[]', 'HMSG');
  assert.match(
    refused,
    /HMSG raw\.inbox 1 (\d+) \1\r\nNATS\/1\.0\r\nNats-Service-Error-Code: 400\r\nNats-Service-Error: the body is not a JSON object\r\n\r\n\r\n/,
  );
});
