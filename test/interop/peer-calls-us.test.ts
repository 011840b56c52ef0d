import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { depot } from '../support/fisk.ts';
import { startNatsServer, type TestNatsServer } from '../support/nats-server.ts';
import { type Running, run } from '../support/run.ts';
import { tempDir, tempFile } from '../support/tmp.ts';
import { waitGone } from '../support/wait.ts';
import { startScriptedModel } from './support/scripted-model.ts';
import { homeFor, needsPeer, peer, serveFisk } from './support/serving.ts';

let server: TestNatsServer;
let daemon: Running;

before(async () => {
  if (peer === undefined) return;
  server = await startNatsServer();
  daemon = await serveFisk(server.url, {
    identity: 'depot',
    application: depot,
    more: 'global_flags: [site]',
    a2a: 'max_concurrent_tools: 2\n      tool_timeout: 36s',
    env: { DEPOT_STORE: `${tempDir()}/parts.json` },
  });
});

after(async () => {
  await daemon?.stop();
  await server?.stop();
});

/** Lets the other implementation's agent loop make these calls to us, one after the other. */
function calls(...script: [tool: string, input: object][]) {
  return callsTo('depot', ...script);
}

async function callsTo(agent: string, ...script: [tool: string, input: object][]) {
  const model = await startScriptedModel(script.map(([tool, input]) => ({ tool, input })));
  const { home, env } = homeFor(server.url);
  const config = `identity: caller
system_prompt: You keep a depot.
nats_context: local
llm: { model: scripted }
remote_tools: [{ name: ${agent} }]
expose: { agent: { a2a: { request_timeout: 30s } } }
`;
  const file = tempFile('agent.yaml', config, home);
  const args = ['run', '--config', file, '--base-url', model.url, '--api-key', 'none', '--no-tui', '--no-color', 'go'];
  const ended = await run(peer ?? '', args, { env, timeout: 60_000 });
  model.close();
  assert.equal(ended.code, 0, ended.stderr);
  return model;
}

test('the other implementation discovers us and prints our card', needsPeer, async () => {
  const { env } = homeFor(server.url);
  const seen = await run(peer ?? '', ['discover', '--context', 'local', 'depot'], { env });
  assert.equal(seen.code, 0, seen.stderr);
  assert.match(seen.stdout, /Agent: depot\n/);
  assert.match(seen.stdout, /Protocols: io\.choria\.fisk-ai\.v1\n/);
  const tools = [...seen.stdout.matchAll(/^([a-z]+_[a-z]+) {2,}(.*)$/gm)].map(([, name]) => name);
  assert.deepEqual(tools, ['part_add', 'part_ls', 'part_show', 'part_rm', 'stock_move', 'stock_check', 'stock_report']);
});

test('its agent imports our tools, calls them and reads their results', needsPeer, async () => {
  const model = await calls(
    ['part_add', { name: 'bolt', count: 3, labels: ['red', '--x'], site: 'south' }],
    ['part_ls', { site: 'south' }],
    ['part_show', { name: 'nothing' }],
    ['stock_check', { least: 1 }],
  );
  assert.ok(model.offered.some(({ name }) => name === 'part_add'));
  const [added, listed, missing, checked] = model.results.map(({ text }) => JSON.parse(text));
  assert.deepEqual(added, {
    command: 'part add --site=south --count=3 -- bolt red --x',
    exit_code: 0,
    output: 'bolt: 3 added on A1, 3 in all\n',
  });
  assert.match(listed.output, /^bolt +b 3\n$/);
  assert.equal(missing.exit_code, 1);
  assert.match(missing.output, /no part 'nothing' here/);
  assert.equal(checked.exit_code, 0);
  assert.deepEqual(
    model.results.map(({ isError }) => isError),
    [false, false, false, false],
  );
});

test('its agent reads our refusals in our words', needsPeer, async () => {
  const { results } = await calls(['part_add', { name: 'x', grade: 'z' }], ['part_add', { name: 'x', count: -1 }]);
  assert.deepEqual(
    results.map(({ isError }) => isError),
    [true, true],
  );
  assert.match(results[0]?.text ?? '', /grade/);
  assert.match(results[1]?.text ?? '', /count/);
});

test('a full daemon refuses it at once', needsPeer, async () => {
  const long = calls(['stock_report', { seconds: 6 }]);
  const longer = calls(['stock_report', { seconds: 6 }]);
  await daemon.printed(/stock_report[\s\S]*stock_report/);
  const { results } = await calls(['part_ls', {}]);
  assert.equal(results[0]?.isError, true);
  assert.match(results[0]?.text ?? '', /slots|capacity|busy/i);
  for (const model of [await long, await longer]) assert.match(model.results[0]?.text ?? '', /shelves/);
});

test(
  'our keepalives keep it waiting for a slow tool, and our time limit reaches it as an error',
  needsPeer,
  async () => {
    const [slow, late] = await Promise.all([
      // Longer than its patience with one that says nothing, which is 30 s at the least.
      calls(['stock_report', { seconds: 33 }]),
      calls(['stock_report', { seconds: 60 }]),
    ]);
    assert.match(slow.results[0]?.text ?? '', /counted 33 of 33/);
    assert.equal(late.results[0]?.isError, true);
    assert.match(late.results[0]?.text ?? '', /36s/);
  },
);

test('when we leave in the middle of its call it is told at once and not left waiting', needsPeer, async () => {
  const leaving = await serveFisk(server.url, { identity: 'leaving', application: depot });
  const call = callsTo('leaving', ['stock_report', { seconds: 12 }]);
  await leaving.printed(/tool call running/);
  const started = performance.now();
  leaving.kill('SIGTERM');
  const { results } = await call;
  assert.ok(performance.now() - started < 10_000);
  assert.equal(results[0]?.isError, true);
  assert.match(results[0]?.text ?? '', /leaving shut down/);
  await waitGone(leaving.pid);
});
