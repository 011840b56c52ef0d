import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { commandsOf } from '../support/marked.ts';
import { startNatsServer, type TestNatsServer } from '../support/nats-server.ts';
import { startServed } from '../support/served.ts';
import { isAlive, waitFor, waitGone } from '../support/wait.ts';
import { WireCaller, wireCall } from '../support/wire-caller.ts';

let nats: TestNatsServer;
let caller: WireCaller;

before(async () => {
  nats = await startNatsServer();
  caller = await WireCaller.connect(nats.url);
});
after(async () => {
  await caller.close();
  await nats.stop();
});

const startLab = () => startServed({ url: nats.url, toolTimeout: '4s' });

/** Calls a tool whose command is two processes, and gives the call and those once they run. */
async function callStubborn(daemon: number) {
  const call = caller.open('choria.fisk-ai.tool.lab', wireCall('lab', 'stubborn'));
  const commands = await waitFor(() => {
    const found = commandsOf([daemon]);
    return found.length >= 2 && found;
  });
  return { call, commands };
}

test('a daemon that is asked to leave answers its caller at once, and the command lives on to its deadline', async () => {
  const daemon = await startLab();
  const { call, commands } = await callStubborn(daemon.pid);
  const asked = performance.now();
  daemon.kill('SIGTERM');
  await waitFor(() => call.ended(), { timeout: 2_000, what: 'the goodbye' });
  assert.equal(call.messages.at(-1)?.json?.['code'], 'interrupted');
  await waitFor(() => !isAlive(daemon.pid), { timeout: 3_000, what: 'the end of the daemon' });
  assert.ok(performance.now() - asked < 4_000);
  for (const pid of commands) assert.ok(isAlive(pid), 'the command outlives the daemon');
  for (const pid of commands) await waitGone(pid, 10_000);
  const { code, stderr } = await daemon.ended;
  assert.equal(code, 0);
  assert.match(stderr, /ending a command at its deadline/);
});

test('after a daemon was killed the next one serves at once and ends what it left at its deadline', async () => {
  const first = await startLab();
  const { commands } = await callStubborn(first.pid);
  first.kill('SIGKILL');
  await waitGone(first.pid);
  const second = await startLab();
  const answer = await caller.call('lab', 'echo', { words: ['up'] });
  assert.equal(answer.at(-1)?.json?.['output'], '[up]\n');
  await second.printed(/found commands of a daemon that died/);
  for (const pid of commands) await waitGone(pid, 10_000);
  assert.equal((await second.stop()).code, 0);
});
