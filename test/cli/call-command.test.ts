import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { main } from '../../src/cli/index.ts';
import { startNatsServer, type TestNatsServer } from '../support/nats-server.ts';
import { waitFor } from '../support/wait.ts';
import { WireCaller, wireWorker } from '../support/wire-caller.ts';
import { type MemoryTerminal, memoryTerminal } from './memory-terminal.ts';

let server: TestNatsServer;
let peer: WireCaller;
before(async () => {
  server = await startNatsServer();
  peer = await WireCaller.connect(server.url);
});
after(async () => {
  await peer.close();
  await server.stop();
});

function call(terminal: MemoryTerminal, ...args: string[]): Promise<number> {
  return main(['call', '--server', server.url, ...args], terminal, { NO_COLOR: '1' });
}

test('whoever waits for a call reads how far it is', async () => {
  const terminal = memoryTerminal({ isTerminal: true, env: { NO_COLOR: '1' } });
  const shown = (text: string) => waitFor(() => terminal.stderr().includes(text), { what: text });
  const worker = wireWorker(peer.nc, 'choria.fisk-ai.tool.slow', 'slow', async (turn) => {
    await shown('calling slow nap');
    turn.say('ack', { accepted: true });
    await shown('slow nap: accepted');
    turn.say('event.status', { block: { phase: 'running-tool' } });
    await shown('slow nap: running');
    turn.say('tool.reply', { output: 'rested' }, { final: true });
  });
  assert.equal(await call(terminal, 'slow', 'nap'), 0, terminal.stderr());
  worker.stop();
  assert.equal(terminal.stdout(), 'rested\n');
});

test('a refusal of another implementation that does not name the tool is told with its name, and no card is no harm', async () => {
  const worker = wireWorker(peer.nc, 'choria.fisk-ai.tool.terse', 'terse', (turn) => {
    turn.say('ack', { accepted: false, reason: 'unknown' });
    turn.say('tool.reply', { is_error: true, code: 'unknown_tool', output: 'no such tool' }, { final: true });
  });
  const terminal = memoryTerminal();
  const started = performance.now();
  assert.equal(await call(terminal, 'terse', 'part_ad'), 65);
  worker.stop();
  assert.ok(performance.now() - started < 5_000);
  assert.match(
    terminal.stderr(),
    /^fisk: error: part_ad: no such tool\n {2}fisk discover terse shows its tools\. \[unknown_tool\]\n$/,
  );
});

test('the card is asked for only by a call that was refused for its names', async () => {
  const asked = wireWorker(peer.nc, 'choria.fisk-ai.discovery.full', 'full', (turn) =>
    turn.say('discovery.reply', { name: 'full', version: '1' }),
  );
  for (const [code, cards] of [
    ['timeout', 0],
    ['unknown_tool', 1],
  ] as const) {
    const worker = wireWorker(peer.nc, 'choria.fisk-ai.tool.full', 'full', (turn) => {
      turn.say('ack', { accepted: true });
      turn.say('tool.reply', { is_error: true, code, output: 'no' }, { final: true });
    });
    await call(memoryTerminal(), 'full', 'x');
    worker.stop();
    await sleep(0);
    assert.equal(asked.requests.length, cards, code);
  }
  asked.stop();
});

test('output reaches a pipe as it came, and a terminal without what would steer it', async () => {
  const output = 'a\u001b]0;PWNED\u0007b\tc\u001b[2J\nd\u202e';
  const worker = wireWorker(peer.nc, 'choria.fisk-ai.tool.steers', 'steers', (turn) => {
    turn.say('ack', { accepted: true });
    turn.say('tool.reply', { output, exec: { command: 'x', exit_code: 0 } }, { final: true });
  });
  const [pipe, screen] = [memoryTerminal(), memoryTerminal({ isTerminal: true, env: { NO_COLOR: '1' } })];
  assert.deepEqual([await call(pipe, 'steers', 'x'), await call(screen, 'steers', 'x')], [0, 0]);
  worker.stop();
  assert.deepEqual([pipe.stdout(), screen.stdout()], [output, 'ab\tc\nd\n']);
});
