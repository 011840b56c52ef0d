import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { depot, fisk } from '../support/fisk.ts';
import { nats, natsCli } from '../support/nats-cli.ts';
import { startNatsServer, type TestNatsServer } from '../support/nats-server.ts';
import type { Running } from '../support/run.ts';
import { fixture, tempDir } from '../support/tmp.ts';
import { waitFor } from '../support/wait.ts';
import { WireCaller, type WireMessage, wireCall, wireHeader } from '../support/wire-caller.ts';
import { needsPeer, peer, serveFisk, servePeer } from './support/serving.ts';

let server: TestNatsServer;
let caller: WireCaller;
const daemons: Running[] = [];

before(async () => {
  if (peer === undefined) return;
  server = await startNatsServer();
  const env = { DEPOT_STORE: `${tempDir()}/parts.json` };
  // The same identity twice for the mixed group, and each alone, to be compared.
  const mixed = { identity: 'depot', application: depot, env, a2a: 'max_concurrent_tools: 8' };
  daemons.push(await serveFisk(server.url, mixed), await servePeer(server.url, mixed));
  for (const [name, application] of [
    ['', depot],
    ['-lab', fixture('lab.sh')],
  ] as const) {
    const alone = { application, env, a2a: 'max_concurrent_tools: 2' };
    daemons.push(await serveFisk(server.url, { ...alone, identity: `ours${name}` }));
    daemons.push(await servePeer(server.url, { ...alone, identity: `theirs${name}` }));
  }
  caller = await WireCaller.connect(server.url);
});

after(async () => {
  await caller?.close();
  for (const daemon of daemons) await daemon.stop();
  await server?.stop();
});

const ran = (daemon: Running | undefined) => daemon?.stderr().match(/tool call completed/gi)?.length ?? 0;

test('two members of one identity, one of each, answer every call exactly once between them', needsPeer, async () => {
  const answers: WireMessage[][] = [];
  for (let batch = 0; batch < 25; batch++) {
    answers.push(...(await Promise.all([1, 2, 3, 4].map(() => caller.call('depot', 'part_ls', {})))));
  }
  assert.equal(answers.length, 100);
  for (const set of answers) {
    assert.deepEqual(
      set.map(({ kind }) => kind),
      ['ack', 'tool.reply'],
    );
    assert.deepEqual(
      set.map(({ json }) => json?.['sequence']),
      [1, 2],
    );
    assert.equal(set[1]?.json?.['output'], 'no parts\n');
    assert.deepEqual(set[1]?.json?.['exec'], { command: 'part ls' });
  }
  await waitFor(() => ran(daemons[0]) + ran(daemons[1]) === 100, { what: 'the log of every call' });
  assert.ok(ran(daemons[0]) > 0 && ran(daemons[1]) > 0, 'both took part');
});

test('the nats program sees both members', {
  skip: needsPeer.skip || (natsCli() === undefined && 'no nats CLI'),
}, async () => {
  const listed = await nats(server.url, 'micro', 'ls', 'depot');
  assert.equal(listed.code, 0, listed.stderr);
  assert.equal(listed.stdout.match(/depot/g)?.length, 2);
});

test('both put the same tools on their cards, described alike', needsPeer, async () => {
  const [ours, theirs] = [await caller.card('ours'), await caller.card('theirs')];
  type Descriptor = { name: string; description: string; input_schema: unknown; behavior?: unknown };
  const tools = (card: WireMessage) => card.json?.['tools'] as Descriptor[];
  assert.deepEqual(tools(ours), tools(theirs));
  assert.deepEqual(ours.json?.['protocols'], theirs.json?.['protocols']);
});

test('both look alike to whoever asks for services', needsPeer, async () => {
  const info = async (identity: string) => {
    const answer = (await caller.nc.request(`$SRV.INFO.${identity}`)).json<{ endpoints: Record<string, unknown>[] }>();
    const { type, name, version, description } = answer as unknown as Record<string, unknown>;
    const endpoints = answer.endpoints.map((endpoint) => [
      endpoint['name'],
      endpoint['subject'],
      endpoint['queue_group'],
    ]);
    return JSON.stringify([type, name, version, description, endpoints.sort()]).replaceAll(identity, 'IT');
  };
  assert.equal(await info('ours'), await info('theirs'));
  const { agents } = JSON.parse((await fisk(['discover', '--json', '--server', server.url])).stdout);
  assert.deepEqual(
    agents.map((agent: Record<string, unknown>) => [agent['agent'], agent['members'], agent['serves_tools']]),
    [
      ['depot', 2, true],
      ['ours', 1, true],
      ['ours-lab', 1, true],
      ['theirs', 1, true],
      ['theirs-lab', 1, true],
    ],
  );
});

/** The answers of both to a call, without what is fresh in each and under one name. */
function inBoth(name: string, tool: string, input: unknown): Promise<[unknown, unknown]> {
  const ask = async (identity: string) => {
    const set = (await caller.call(identity, tool, input)).map(({ json, final }) => {
      const { id, time, request, conversation, ...rest } = json ?? {};
      assert.ok([id, time, request, conversation].every((text) => typeof text === 'string'));
      return { ...rest, final };
    });
    return JSON.parse(JSON.stringify(set).replaceAll(identity, 'IT'));
  };
  return Promise.all([ask(`ours${name}`), ask(`theirs${name}`)]);
}

test('both answer alike for a command that ran, however it ended', needsPeer, async () => {
  for (const [tool, input] of [
    ['echo', { words: ['a b', '--x', '$(id)', '<&>'] }],
    ['echo', '{"words":[1.50,9007199254740993,1e3,-0,true]}'],
    ['echo', undefined],
    ['exit', { code: 7 }],
    ['signal', {}],
    ['big', { bytes: 100_000 }],
    ['constructor', {}],
  ] as const) {
    const [ours, theirs] = await inBoth('-lab', tool, input);
    assert.deepEqual(ours, theirs, tool);
  }
});

test('both give the same signs of life', needsPeer, async () => {
  const [ours, theirs] = (await inBoth('', 'stock_report', { seconds: 12 })) as [{ block?: unknown }[], unknown];
  assert.equal(ours.length, 3);
  assert.deepEqual(ours[1]?.block, { phase: 'running-tool' });
  assert.deepEqual(ours, theirs);
});

test('both refuse alike when they are full', needsPeer, async () => {
  const refused = async (identity: string) => {
    const busy = [1, 2].map(() => caller.open(`choria.fisk-ai.tool.${identity}`, wireCall(identity, 'stock_report')));
    await waitFor(() => busy.every(({ messages }) => messages.length > 0));
    const [ack, reply, ...more] = await caller.call(identity, 'part_ls');
    await waitFor(() => busy.every((call) => call.ended()));
    for (const call of busy) call.close();
    assert.equal(typeof ack?.json?.['reason'], 'string');
    assert.match(String(reply?.json?.['output']), new RegExp(`part_ls.*${identity}|${identity}.*part_ls`));
    const { is_error, code, sequence, exec } = reply?.json ?? {};
    return [
      ack?.json?.['accepted'],
      ack?.json?.['sequence'],
      is_error,
      code,
      sequence,
      exec,
      reply?.final,
      more.length,
    ];
  };
  const ours = await refused('ours');
  assert.deepEqual(ours, [false, 1, true, 'capacity', 2, undefined, true, 0]);
  assert.deepEqual(await refused('theirs'), ours);
});

test('both judge a malformed message alike', needsPeer, async () => {
  const call = (over: object) => JSON.stringify({ ...wireHeader('tool.request', 'x', { name: 'part_ls' }), ...over });
  const bodies = new Map([
    ['nothing', ''],
    ['no JSON', '{"protocol":'],
    ['an array', '[]'],
    ['more than one value', `${call({})}{}`],
    ['no protocol', call({ protocol: undefined })],
    ['an unknown protocol', call({ protocol: 'io.choria.fisk-ai.v2.tool.request' })],
    ['a family', call({ protocol: 'io.choria.fisk-ai.v1.event' })],
    ['a message for another subject', call({ protocol: 'io.choria.fisk-ai.v1.discovery.request' })],
    ['no tool name', call({ name: undefined })],
    ['a tool name that is a number', call({ name: 7 })],
    ['input that is null', call({ input: null })],
    ['input that is a list', call({ input: [] })],
    ['no sender', call({ sender: undefined })],
    ['a sender with a dot', call({ sender: { name: 'a.b' } })],
    ['a request of 65 characters', call({ request: 'r'.repeat(65) })],
    ['a negative sequence', call({ sequence: -1 })],
    ['a time without a zone', call({ time: '2026-01-01T00:00:00' })],
    ['a time that never was', call({ time: '2026-02-30T00:00:00Z' })],
    ['a key in other letters', call({ protocol: undefined, Protocol: 'io.choria.fisk-ai.v1.tool.request' })],
    ['more than 768 KiB', `${call({})}${' '.repeat(900 * 1024)}`],
    ['an unknown property', call({ surprise: { deep: [1, 2] } })],
    ['a recipient that is somebody else', call({ recipient: { name: 'other' } })],
    ['a trace parent that is none', call({ traceparent: 'nonsense' })],
    ['an unknown tool', call({ name: 'constructor' })],
    ['an empty tool name', call({ name: '' })],
  ]);
  const judge = async (purpose: string, identity: string, body: string) => {
    const [first, ...rest] = await caller.send(`choria.fisk-ai.${purpose}.${identity}`, body);
    if (first?.refusal !== undefined) return `refused ${first.refusal.code}, ${rest.length} more`;
    const last = rest.at(-1)?.json;
    return `${first?.kind} ${first?.json?.['accepted']}, error ${last?.['is_error'] === true}`;
  };
  const card = (over: object) => JSON.stringify({ ...wireHeader('discovery.request', 'x'), ...over });
  bodies.set('a request for the card', card({}));
  bodies.set('a request for the card with more in it', card({ name: 7, input: null }));
  bodies.set('a request for the card that is not framed', card({ id: '' }));
  for (const [what, body] of bodies) {
    for (const purpose of ['tool', 'discovery']) {
      const [ours, theirs] = [await judge(purpose, 'ours', body), await judge(purpose, 'theirs', body)];
      assert.equal(ours, theirs, `${what}, to ${purpose}`);
    }
  }
});
