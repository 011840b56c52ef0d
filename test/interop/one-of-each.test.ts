import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { depot } from '../support/fisk.ts';
import { nats, natsCli } from '../support/nats-cli.ts';
import { startNatsServer, type TestNatsServer } from '../support/nats-server.ts';
import type { Running } from '../support/run.ts';
import { tempDir } from '../support/tmp.ts';
import { WireCaller, type WireMessage, wireHeader } from '../support/wire-caller.ts';
import { needsPeer, peer, serveFisk, servePeer } from './support/serving.ts';

let server: TestNatsServer;
let caller: WireCaller;
const daemons: Running[] = [];

before(async () => {
  if (peer === undefined) return;
  server = await startNatsServer();
  const env = { DEPOT_STORE: `${tempDir()}/parts.json` };
  // The same identity twice for the mixed group, and each once more alone, to be compared.
  for (const identity of ['depot', 'ours']) {
    daemons.push(await serveFisk(server.url, { identity, application: depot, env, a2a: 'max_concurrent_tools: 8' }));
  }
  for (const identity of ['depot', 'theirs']) {
    daemons.push(await servePeer(server.url, { identity, application: depot, env, a2a: 'max_concurrent_tools: 8' }));
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
  assert.equal(ran(daemons[0]) + ran(daemons[2]), 100);
  assert.ok(ran(daemons[0]) > 0 && ran(daemons[2]) > 0, 'both took part');
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
  const judge = async (identity: string, body: string) => {
    const [first, ...rest] = await caller.send(`choria.fisk-ai.tool.${identity}`, body);
    if (first?.refusal !== undefined) return `refused ${first.refusal.code}, ${rest.length} more`;
    const last = rest.at(-1)?.json;
    return `ack ${first?.json?.['accepted']}, error ${last?.['is_error'] === true}`;
  };
  for (const [what, body] of bodies) {
    assert.equal(await judge('ours', body), await judge('theirs', body), what);
  }
});
