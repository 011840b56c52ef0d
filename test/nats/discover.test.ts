import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { connect, discover, listAgents, MOST_AGENTS } from '../../src/nats/index.ts';
import { natsServerVersions, startNatsServer } from '../support/nats-server.ts';
import { WireCaller, type WireTurn, wireWorker } from '../support/wire-caller.ts';
import { startWorker, type TestWorker } from './worker.ts';

const OPTIONS = { sender: 'tester', timeoutMs: 2_000 };

/** A server, a connection under test, and a peer that plays the agents. */
async function scene(t: TestContext) {
  const server = await startNatsServer();
  const peer = await WireCaller.connect(server.url);
  const connection = await connect({ servers: [server.url], name: 'test' });
  t.after(async () => {
    await connection.close();
    await peer.close();
    await server.stop();
  });
  return { connection, peer };
}

async function scripted(t: TestContext, script: (turn: WireTurn) => void) {
  const { connection, peer } = await scene(t);
  wireWorker(peer.nc, 'choria.fisk-ai.discovery.lab', 'lab', script);
  await peer.nc.flush();
  return connection;
}

for (const version of natsServerVersions()) {
  test(`on ${version}: a card comes back whole, with the time it took`, async (t) => {
    const server = await startNatsServer({ version });
    const tools = [{ name: 'x', description: 'X', input_schema: { type: 'object' }, behavior: { read_only: true } }];
    const worker = await startWorker(server.url, 'lab', undefined, { tools });
    const connection = await connect({ servers: [server.url], name: 'test' });
    t.after(async () => {
      await connection.close();
      await worker.close();
      await server.stop();
    });
    await worker.service.ready();
    const { card, rttMs } = await discover(connection, 'lab', OPTIONS);
    assert.equal(card.name, 'lab');
    assert.equal(card.version, '9.9.9-test');
    assert.deepEqual(card.protocols, ['io.choria.fisk-ai.v1']);
    assert.deepEqual(card.tools, tools);
    assert.equal(card.sequence, 0);
    assert.ok(rttMs > 0 && rttMs < 2_000);
    await assert.rejects(discover(connection, 'gone', OPTIONS), {
      code: 'FISK_NO_RESPONDERS',
      message: 'nobody listens on choria.fisk-ai.discovery.gone',
    });
    await assert.rejects(discover(connection, 'a.b', OPTIONS), { code: 'FISK_IDENTITY_INVALID' });
  });

  test(`on ${version}: all agents are found, each once with its members and what it offers`, async (t) => {
    const server = await startNatsServer({ version });
    const connection = await connect({ servers: [server.url], name: 'test' });
    const peer = await WireCaller.connect(server.url);
    const workers: TestWorker[] = [];
    t.after(async () => {
      for (const worker of workers) await worker.close();
      await connection.close();
      await peer.close();
      await server.stop();
    });
    assert.deepEqual(await listAgents(connection), []);
    for (const identity of ['lab', 'lab', 'depot']) workers.push(await startWorker(server.url, identity));
    for (const worker of workers) await worker.service.ready();
    // Services of other people, and answers of no shape at all.
    const endpoint = (subject: string) => ({ name: 'e', subject, queue_group: 'q', metadata: null });
    const info = (...subjects: string[]) =>
      JSON.stringify({ type: 'io.nats.micro.v1.info_response', name: 'other', endpoints: subjects.map(endpoint) });
    const answers = [
      info('orders.new'),
      info('choria.fisk-ai.discovery.talker', 'choria.fisk-ai.task.talker', 'choria.fisk-ai.tool.lab'),
      info('choria.fisk-ai.discovery.__proto__'),
      info('choria.fisk-ai.discovery.a.b'),
      '[]',
      'null',
      'x',
      '{"type":"io.nats.micro.v1.info_response","endpoints":[null,1,{"subject":7}]}',
    ];
    peer.nc.subscribe('$SRV.INFO', {
      callback: (_, msg) => {
        for (const answer of answers) msg.respond(answer);
      },
    });
    await peer.nc.flush();
    const started = performance.now();
    assert.deepEqual(await listAgents(connection), [
      { identity: '__proto__', members: 1, tools: false, prompts: false },
      { identity: 'depot', members: 1, tools: true, prompts: false },
      { identity: 'lab', members: 2, tools: true, prompts: false },
      { identity: 'talker', members: 1, tools: false, prompts: true },
    ]);
    const took = performance.now() - started;
    assert.ok(took > 250 && took < 1_500, `${took}`);
  });
}

test('a listing ends although somebody never stops answering', async (t) => {
  const { connection, peer } = await scene(t);
  const timers: NodeJS.Timeout[] = [];
  t.after(() => timers.forEach(clearInterval));
  peer.nc.subscribe('$SRV.INFO', {
    callback: (_, msg) => {
      timers.push(setInterval(() => msg.respond('{}'), 50));
    },
  });
  await peer.nc.flush();
  const started = performance.now();
  assert.deepEqual(await listAgents(connection), []);
  const took = performance.now() - started;
  assert.ok(took > 1_800 && took < 3_000, `${took}`);
});

test('no answer in time names the subject and the wait', async (t) => {
  const connection = await scripted(t, () => {});
  await assert.rejects(discover(connection, 'lab', { sender: 'me', timeoutMs: 100 }), {
    code: 'FISK_NO_ANSWER',
    message: 'no card on choria.fisk-ai.discovery.lab within 100 ms',
  });
});

test('a refusal in the headers is read as one, with its text', async (t) => {
  const connection = await scripted(t, (turn) => turn.refuse('400', 'not like this'));
  await assert.rejects(discover(connection, 'lab', OPTIONS), {
    code: 'FISK_REQUEST_REFUSED',
    status: 400,
    description: 'not like this',
  });
});

test('a card that cannot be used is said to be so', async (t) => {
  const cards: ((turn: WireTurn) => void)[] = [
    (turn) => turn.raw('not json'),
    (turn) => turn.raw(''),
    (turn) => turn.say('discovery.reply', { name: 'lab' }),
    (turn) => turn.say('discovery.reply', { name: 'lab', version: '1', model: 'm'.repeat(129) }),
    (turn) => turn.say('discovery.reply', { name: 'lab', version: '1', tools: [{ name: '' }, {}] }),
    (turn) => turn.say('ack', { accepted: true }),
    (turn) => turn.say('discovery.reply', { name: 'lab', version: '1', description: 'x'.repeat(786_432) }),
  ];
  let next = 0;
  const connection = await scripted(t, (turn) => cards[next]?.(turn));
  for (; next < cards.length; next++) {
    await assert.rejects(discover(connection, 'lab', OPTIONS), { code: 'FISK_REPLY_INVALID' }, `card ${next}`);
  }
});

test('a card for somebody else is passed over', async (t) => {
  const connection = await scripted(t, (turn) => {
    turn.say('discovery.reply', { name: 'wrong', version: '1', request: 'another' });
    turn.say('discovery.reply', { name: 'right', version: '1' });
  });
  assert.equal((await discover(connection, 'lab', OPTIONS)).card.name, 'right');
});

test('unknown properties of a card stay, and its texts may be anything', async (t) => {
  const connection = await scripted(t, (turn) =>
    turn.say('discovery.reply', {
      name: 'other-name',
      version: 'devel',
      future: { a: 1 },
      tools: [{ name: 'a', extra: 1 }],
    }),
  );
  const { card } = await discover(connection, 'lab', OPTIONS);
  assert.deepEqual((card as unknown as { future: unknown }).future, { a: 1 });
  assert.equal(card.name, 'other-name');
});

test('a flood of invented agents ends a listing', async (t) => {
  const { connection, peer } = await scene(t);
  const endpoints = (i: number) =>
    Array.from({ length: 5_000 }, (_, j) => ({ subject: `choria.fisk-ai.discovery.a${i}-${j}` }));
  peer.nc.subscribe('$SRV.INFO', {
    callback: (_, msg) => {
      for (let i = 0; i < 100; i++)
        msg.respond(JSON.stringify({ type: 'io.nats.micro.v1.info_response', endpoints: endpoints(i) }));
    },
  });
  await peer.nc.flush();
  const started = performance.now();
  assert.equal((await listAgents(connection)).length, MOST_AGENTS);
  assert.ok(performance.now() - started < 3_000, `${performance.now() - started}`);
});
