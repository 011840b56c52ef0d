import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startFisk } from '../support/fisk.ts';
import { stubbornPair } from '../support/marked.ts';
import { startNatsServer, type TestNatsServer } from '../support/nats-server.ts';
import { fixture, tempFile } from '../support/tmp.ts';
import { isAlive, waitFor, waitGone } from '../support/wait.ts';
import { WireCaller, wireCall } from '../support/wire-caller.ts';

const TOOL = 'choria.fisk-ai.tool.lab';
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

async function startLab(toolTimeout: string) {
  const config = tempFile(
    'agent.yaml',
    `identity: lab
application_path: ${fixture('lab.sh')}
expose: { agent: { a2a: { serve_tools: true, tool_timeout: ${toolTimeout} } } }
`,
  );
  const daemon = await startFisk(['serve', '--dev', '--server', nats.url, '--config', config]);
  await daemon.printed(/Exposed:/);
  return daemon;
}

/** Calls a tool that prints its pid, and gives that once its command runs. */
async function running(input: string, tool: string) {
  const call = caller.open(TOOL, wireCall('lab', tool, input));
  await waitFor(() => call.messages.length > 0);
  return call;
}

test('a daemon that is asked to leave answers its caller at once, and the command lives on to its deadline', async () => {
  const daemon = await startLab('4s');
  const call = await running('{}', 'stubborn');
  const commands = await stubbornPair(daemon.pid);
  const asked = performance.now();
  daemon.kill('SIGTERM');
  await waitFor(() => call.ended(), { timeout: 2_000, what: 'the goodbye' });
  assert.equal(call.messages.at(-1)?.json?.['code'], 'interrupted');
  // The end of its streams too: a reader such as `| tee` leaves with the daemon.
  const { code, stderr } = await daemon.ended;
  assert.equal(code, 0);
  assert.match(stderr, /"commands":1,"seconds_left":\[\d\]|commands=1 seconds_left=\[\d\]/);
  assert.ok(performance.now() - asked < 4_000);
  for (const pid of commands) assert.ok(isAlive(pid), 'the command outlives the daemon');
  for (const pid of commands) await waitGone(pid, 10_000);
});

test('after a daemon was killed the next one serves at once and ends what it left at its deadline', async () => {
  const first = await startLab('4s');
  await running('{}', 'stubborn');
  const commands = await stubbornPair(first.pid);
  first.kill('SIGKILL');
  await waitGone(first.pid);
  const second = await startLab('4s');
  const answer = await caller.call('lab', 'echo', { words: ['up'] });
  assert.equal(answer.at(-1)?.json?.['output'], '[up]\n');
  await second.printed(/found commands of a daemon that died/);
  for (const pid of commands) await waitGone(pid, 10_000);
  assert.equal((await second.stop()).code, 0);
});
