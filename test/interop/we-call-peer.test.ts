import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { depot, fisk } from '../support/fisk.ts';
import { startNatsServer, type TestNatsServer } from '../support/nats-server.ts';
import type { Running } from '../support/run.ts';
import { tempDir } from '../support/tmp.ts';
import { needsPeer, peer, servePeer } from './support/serving.ts';

let server: TestNatsServer;
let daemon: Running;

before(async () => {
  if (peer === undefined) return;
  server = await startNatsServer();
  daemon = await servePeer(server.url, {
    identity: 'depot',
    application: depot,
    a2a: 'max_concurrent_tools: 2\n      tool_timeout: 36s',
    env: { DEPOT_STORE: `${tempDir()}/parts.json` },
  });
});

after(async () => {
  await daemon?.stop();
  await server?.stop();
});

const ask = (...args: string[]) => fisk([...args, '--server', server.url], { timeout: 60_000 });

test('we discover the other implementation and print its card', needsPeer, async () => {
  const seen = await ask('discover', 'depot');
  assert.equal(seen.code, 0, seen.stderr);
  assert.match(seen.stdout, /Agent: depot\n/);
  assert.match(seen.stdout, /^ *part_add +Adds a part/m);
  const card = JSON.parse((await ask('discover', 'depot', '--json')).stdout);
  assert.equal(card.reachable, true);
  assert.equal(card.name, 'depot');
  assert.equal(card.tools.length, 7);
  const listed = await ask('discover');
  assert.match(listed.stdout, /^ *depot\b/m);
});

test('we call its tools: output on stdout, exit code as ours', needsPeer, async () => {
  const added = await ask('call', 'depot', 'part_add', '{"name":"bolt","count":3,"labels":["red","--x"]}');
  assert.deepEqual([added.code, added.stdout], [0, 'bolt: 3 added on A1, 3 in all\n']);
  const missing = await ask('call', 'depot', 'part_show', 'name=nothing');
  assert.equal(missing.code, 1);
  assert.match(missing.stdout, /no part 'nothing' here/);
  const short = await ask('call', 'depot', 'stock_check', 'least=4');
  assert.equal(short.code, 3);
});

test('we tell its refusals apart', needsPeer, async () => {
  const unknown = await ask('call', 'depot', 'no_such_tool', '{}');
  assert.equal(unknown.code, 70);
  assert.equal(unknown.stdout, '');
  assert.match(unknown.stderr, /no_such_tool/);
  const nobody = await ask('call', 'nobody', 'part_ls', '{}');
  assert.equal(nobody.code, 69);
});

test('a full one is tried again and reported as full', needsPeer, async () => {
  const busy = [1, 2].map(() => ask('call', 'depot', 'stock_report', '{"seconds":6}'));
  await daemon.printed(/stock_report[\s\S]*stock_report/);
  const refused = await ask('call', 'depot', 'part_ls', '{}');
  assert.equal(refused.code, 75, refused.stderr);
  for (const call of await Promise.all(busy)) assert.equal(call.code, 0);
});

test('its keepalives keep us waiting, and its time limit is an error of the tool', needsPeer, async () => {
  const [slow, late] = await Promise.all([
    // Longer than our patience with one that says nothing.
    ask('call', 'depot', 'stock_report', '{"seconds":33}'),
    ask('call', 'depot', 'stock_report', '{"seconds":60}'),
  ]);
  assert.equal(slow.code, 0, slow.stderr);
  assert.match(slow.stdout, /counted 33 of 33/);
  assert.equal(late.code, 70);
  assert.equal(late.stdout, '');
  assert.match(late.stderr, /deadline/);
});
