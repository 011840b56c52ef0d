import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { depot, fisk, startFisk } from '../support/fisk.ts';
import { startNatsServer, type TestNatsServer } from '../support/nats-server.ts';
import type { Running } from '../support/run.ts';
import { tempDir, tempFile } from '../support/tmp.ts';

let server: TestNatsServer;
let daemons: Running[] = [];

/** An environment in which the context `local` leads to the server. */
function home(url: string): NodeJS.ProcessEnv {
  const dir = tempDir();
  tempFile('nats/context/local.json', JSON.stringify({ url }), dir);
  const { NATS_URL: _, ...env } = process.env;
  return { ...env, XDG_CONFIG_HOME: dir };
}

before(async () => {
  server = await startNatsServer();
  const config = tempFile(
    'agent.yaml',
    `identity: depot\napplication_path: ${depot}\nexpose: {agent: {a2a: {serve_tools: true}}}\n`,
  );
  const serve = () => startFisk(['serve', '--dev', '--server', server.url, '--config', config]);
  daemons = await Promise.all([serve(), serve()]);
  await Promise.all(daemons.map((daemon) => daemon.printed(/Exposed:/)));
});

after(async () => {
  await Promise.all(daemons.map((daemon) => daemon.stop()));
  await server.stop();
});

test('the card of an agent is its head, a blank line and the table of its tools', async () => {
  const { code, stdout, stderr } = await fisk(['discover', 'depot', '--server', server.url]);
  assert.deepEqual([code, stderr], [0, '']);
  const head =
    'Agent Card for depot:\n\n        Agent: depot\n      Version: devel\n    Protocols: io.choria.fisk-ai.v1\n\n';
  assert.equal(stdout.slice(0, head.length), head);
  assert.match(stdout.slice(head.length), /^ {4}Tool +Description\n {4}part_add +Adds a part/);
  assert.doesNotMatch(stdout, /close_/);
});

test('one tool of an agent is shown with all its arguments, as text and as JSON', async () => {
  const { code, stdout, stderr } = await fisk(['discover', 'depot', 'part_add', '--server', server.url]);
  assert.deepEqual([code, stderr], [0, '']);
  assert.match(stdout, /^Tool part_add of depot:\n[\s\S]*Description: Adds a part[\s\S]*Arguments:\n/);
  assert.match(stdout, / name: text, required\n +Name of the part\n/);
  assert.match(stdout, / grade: one of a, b, c\n +Quality grade\n/);
  const json = await fisk(['discover', 'depot', 'part_add', '--server', server.url, '--json']);
  const { agent, reachable, rtt_ms, tool } = JSON.parse(json.stdout);
  assert.deepEqual([json.code, agent, reachable, tool.name], [0, 'depot', true, 'part_add']);
  assert.ok(rtt_ms > 0);
  assert.deepEqual(tool.input_schema.required, ['name']);
});

test('a tool that is not on the card is an error that names the nearest one', async () => {
  const { code, stdout, stderr } = await fisk(['discover', 'depot', 'part_ad', '--server', server.url]);
  assert.deepEqual([code, stdout], [1, '']);
  assert.match(
    stderr,
    /^fisk: error: depot has no tool "part_ad" on its card; did you mean part_add\?\n.*TOOL_UNKNOWN/,
  );
  const far = await fisk(['discover', 'depot', 'zzz', '--server', server.url, '--json']);
  const document = JSON.parse(far.stdout);
  assert.deepEqual([far.code, document.reachable, document.error.class], [1, true, 'unknown_tool']);
  assert.doesNotMatch(document.error.message, /did you mean/);
});

test('without a name every agent is listed once with its members', async () => {
  const { code, stdout } = await fisk(['discover', '--server', server.url]);
  assert.equal(code, 0);
  assert.equal(stdout, 'Agent  Members  Serves\ndepot  2        tools\n');
});

test('a context, the file and the variable lead there too, the flag first', async () => {
  const env = home(server.url);
  const cwd = tempDir();
  assert.equal((await fisk(['discover', 'depot', '--context', 'local'], { env, cwd })).code, 0);
  const file = tempFile('peer.yaml', 'identity: me\nnats_context: local\n');
  assert.equal((await fisk(['discover', 'depot', '--config', file], { env, cwd })).code, 0);
  tempFile('agent.yaml', 'nats_context: local\n', cwd);
  assert.equal((await fisk(['discover', 'depot'], { env, cwd })).code, 0, 'agent.yaml of the working directory');
  const withVariable = { ...env, NATS_URL: server.url };
  assert.equal((await fisk(['discover', 'depot'], { env: withVariable, cwd: tempDir() })).code, 0);
  const nowhere = { ...env, NATS_URL: 'nats://127.0.0.1:1' };
  assert.equal((await fisk(['discover', 'depot'], { env: nowhere, cwd })).code, 0, 'the file before the variable');
});

for (const [what, args, pattern] of [
  ['nobody listening', ['nobody'], /^fisk: error: .*discovery\.nobody/],
  ['an illegal name', ['a.b'], /^fisk: error: "a\.b"/],
  ['an unknown context', ['depot', '--context', 'nope'], /^fisk: error: .*nope/],
  ['no context anywhere', ['depot'], /^fisk: error: [\s\S]*--context/],
  [
    'a file without a context',
    ['depot', '--config', 'empty.yaml'],
    /^fisk: error: empty\.yaml names no nats_context[\s\S]*--context/,
  ],
  ['a file that is not there', ['depot', '--config', 'missing.yaml'], /^fisk: error: .*missing\.yaml/],
] as const) {
  test(`${what} is an error on stderr, exit 1, with nothing on stdout`, async () => {
    const cwd = tempDir();
    tempFile('empty.yaml', '', cwd);
    const at = what === 'nobody listening' ? ['--server', server.url] : [];
    const { code, stdout, stderr } = await fisk(['discover', ...args, ...at], { env: home(server.url), cwd });
    assert.deepEqual([code, stdout], [1, ''], stderr);
    assert.match(stderr, pattern);
  });
}

test('as JSON the card comes with what was learnt on the way', async () => {
  const { code, stdout } = await fisk(['discover', 'depot', '--server', server.url, '--json']);
  assert.equal(code, 0);
  const card = JSON.parse(stdout);
  assert.deepEqual(
    [card.agent, card.reachable, card.name, card.version, card.protocols],
    ['depot', true, 'depot', 'devel', ['io.choria.fisk-ai.v1']],
  );
  assert.ok(card.rtt_ms > 0);
  assert.equal(card.tools[0].name, 'part_add');
  assert.equal(card.tools[0].input_schema.type, 'object');
  assert.equal(card.protocol, undefined, 'what only the journey needed stays out');
});

test('as JSON the list has a card for each agent', async () => {
  const { stdout } = await fisk(['discover', '--server', server.url, '--json']);
  const { agents } = JSON.parse(stdout);
  assert.equal(agents.length, 1);
  assert.deepEqual([agents[0].agent, agents[0].members, agents[0].serves_tools], ['depot', 2, true]);
  assert.equal(agents[0].tools[0].name, 'part_add');
});

test('as JSON a failure names its class, with the same exit code', async () => {
  for (const [args, name] of [
    [['nobody', '--server', server.url], 'no_responders'],
    [['depot', '--server', 'nats://127.0.0.1:1'], 'connection'],
    [['depot', '--context', 'nope'], 'configuration'],
    [['a.b', '--server', server.url], 'usage'],
  ] as const) {
    const { code, stdout, stderr } = await fisk(['discover', ...args, '--json'], { env: home(server.url) });
    const document = JSON.parse(stdout);
    assert.deepEqual([code, stderr, document.reachable, document.error.class], [1, '', false, name]);
  }
});

test('nobody at all is said in a sentence', async () => {
  const empty = await startNatsServer();
  const { code, stdout } = await fisk(['discover', '--server', empty.url]);
  await empty.stop();
  assert.deepEqual([code, stdout], [0, 'No agents answer.\n']);
});

test('completion offers the agents that answer, their tools and the arguments of a tool', async () => {
  const complete = async (...words: string[]) => (await fisk(['--fisk-complete', ...words])).stdout.trim().split('\n');
  assert.deepEqual(await complete('discover', '--server', server.url, 'de'), ['depot']);
  assert.ok((await complete('call', `--server=${server.url}`, 'depot', 'part_')).includes('part_ls'));
  assert.ok((await complete('call', '--server', server.url, 'depot', 'part_add', 'na')).includes('name='));
  assert.deepEqual(await complete('discover', '--server', 'nats://127.0.0.1:1', ''), ['']);
});

test('a misspelt agent is answered with the one that is there', async () => {
  const { code, stdout, stderr } = await fisk(['discover', 'depto', '--server', server.url]);
  assert.deepEqual([code, stdout], [1, '']);
  assert.match(stderr, /^fisk: error: .*depto[\s\S]*Did you mean depot\?.*\[FISK_NO_RESPONDERS\]/);
  const json = await fisk(['discover', 'depto', '--server', server.url, '--json']);
  assert.match(JSON.parse(json.stdout).error.remedy, /^Did you mean depot\? /);
});
