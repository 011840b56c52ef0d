import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { main } from '../../src/cli/index.ts';
import { startNatsServer, type TestNatsServer } from '../support/nats-server.ts';
import { tempDir, tempFile } from '../support/tmp.ts';
import { waitFor } from '../support/wait.ts';
import { WireCaller, type WireTurn, wireWorker } from '../support/wire-caller.ts';
import { memoryTerminal } from './memory-terminal.ts';

let server: TestNatsServer;
let peer: WireCaller;
let home: string;
before(async () => {
  server = await startNatsServer({ config: 'debug: true' });
  peer = await WireCaller.connect(server.url);
  home = tempDir();
  tempFile('nats/context/local.json', JSON.stringify({ url: server.url }), home);
});
after(async () => {
  await peer.close();
  await server.stop();
});

async function discover(...args: string[]) {
  const terminal = memoryTerminal();
  const code = await main(['discover', ...args], terminal, { XDG_CONFIG_HOME: home });
  return { code, stdout: terminal.stdout(), stderr: terminal.stderr() };
}

/** An agent whose every card is what the script makes of it. */
function agent(name: string, script: (turn: WireTurn) => void) {
  return wireWorker(peer.nc, `choria.fisk-ai.discovery.${name}`, name, script);
}

const card = (turn: WireTurn) => turn.say('discovery.reply', { name: 'asked', version: '1' });

test('with a context or a server alone we are fisk-ai; with a file what it says, as sender and on the server', async () => {
  const asked = agent('asked', card);
  const named = tempFile('named.yaml', 'identity: me\nnats_context: local\n');
  const derived = tempFile('derived.yaml', 'application_path: /opt/tool\nnats_context: local\n');
  for (const args of [
    ['--context', 'local'],
    ['--server', server.url],
    ['--config', named],
    ['--config', derived],
    ['--config', named, '--server', server.url],
    ['--config', named, '--context', 'local'],
  ]) {
    const { code, stderr } = await discover('asked', ...args);
    assert.equal(code, 0, stderr);
  }
  asked.stop();
  assert.deepEqual(
    asked.requests.map((request) => (request['sender'] as { name: string }).name),
    ['fisk-ai', 'fisk-ai', 'me', 'tool', 'me', 'fisk-ai'],
  );
  await waitFor(() => /:fisk-ai me".* - Client connection closed/.test(server.log()));
  assert.doesNotMatch(server.log(), /:fisk-ai fisk-ai me"/);
});

test('an agent that does not answer is waited for as long as the file says, and named with subject and time', async () => {
  const mute = agent('mute', () => {});
  const file = tempFile('agent.yaml', 'nats_context: local\nexpose: {agent: {a2a: {request_timeout: 300ms}}}\n');
  const started = performance.now();
  const { code, stdout, stderr } = await discover('mute', '--config', file);
  const json = JSON.parse((await discover('mute', '--config', file, '--json')).stdout);
  mute.stop();
  assert.ok(performance.now() - started < 5_000);
  assert.deepEqual([code, stdout], [1, '']);
  assert.match(stderr, /^fisk: error: .*choria\.fisk-ai\.discovery\.mute.* 300 ms/);
  assert.deepEqual([json.reachable, json.error.class], [false, 'timeout']);
});

test('a card that cannot be used and a request that is refused are errors of their own class', async () => {
  for (const [name, script, pattern] of [
    ['invalid', (turn: WireTurn) => turn.say('discovery.reply', { name: 7 }), /card of invalid is unusable/],
    ['refused', (turn: WireTurn) => turn.refuse('500', 'out of order'), /out of order/],
  ] as const) {
    const answering = agent(name, script);
    const { code, stdout, stderr } = await discover(name, '--server', server.url);
    assert.deepEqual([code, stdout], [1, '']);
    assert.match(stderr, /^fisk: error: /);
    assert.match(stderr, pattern);
    const json = JSON.parse((await discover(name, '--server', server.url, '--json')).stdout);
    answering.stop();
    assert.equal(json.error.class, name);
  }
});
