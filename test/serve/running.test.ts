import assert from 'node:assert/strict';
import { readFileSync, renameSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { liveGroups } from '../../src/process/index.ts';
import { type DaemonOptions, startDaemon } from '../support/daemon.ts';
import { startNatsServer, type TestNatsServer } from '../support/nats-server.ts';
import { fixture, tempDir, tempFile, tempScript } from '../support/tmp.ts';
import { isAlive, waitFor, waitGone } from '../support/wait.ts';
import { WireCaller, type WireMessage, wireCall } from '../support/wire-caller.ts';

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

const serve = (options: Partial<DaemonOptions> = {}) => startDaemon({ url: nats.url, ...options });
const outputOf = (messages: readonly WireMessage[]) => String(messages.at(-1)?.json?.['output']);

/** Opens a call of a command that runs on, and gives it with the id of its process, once that runs. */
async function openCall(seconds = 60) {
  const call = caller.open('choria.fisk-ai.tool.lab', wireCall('lab', 'sleep', { seconds: String(seconds) }));
  await waitFor(() => call.messages.length > 0 && liveGroups.size > 0);
  return { call, pid: [...liveGroups].at(-1)?.pid ?? 0 };
}

test('every ten seconds a caller hears that its command still runs', async (t) => {
  const daemon = await serve();
  t.mock.timers.enable({ apis: ['setInterval'] });
  const { call, pid } = await openCall();
  t.mock.timers.tick(9_999);
  await caller.nc.flush();
  assert.deepEqual(
    call.messages.map(({ kind }) => kind),
    ['ack'],
  );
  t.mock.timers.tick(1);
  await waitFor(() => call.messages.length === 2);
  t.mock.timers.tick(10_000);
  await waitFor(() => call.messages.length === 3);
  t.mock.timers.reset();
  process.kill(pid, 'SIGKILL');
  await waitFor(() => call.ended());
  const told = call.messages.map(({ kind, json }) => [kind, json?.['sequence'], json?.['block']]);
  assert.deepEqual(told, [
    ['ack', 1, undefined],
    ['event.status', 2, { phase: 'running-tool' }],
    ['event.status', 3, { phase: 'running-tool' }],
    ['tool.reply', 4, undefined],
  ]);
  await daemon.stop();
});

test('a command sees neither our credentials nor what our supervisor told us, and all the rest', async () => {
  const env = {
    PATH: process.env['PATH'],
    HOME: '/home/op',
    OTHER: 'kept',
    ANTHROPIC_API_KEY: 'k',
    OTEL_EXPORTER_OTLP_HEADERS: 'k',
    NOTIFY_SOCKET: '/run/x',
    WATCHDOG_USEC: '1000',
    LISTEN_FDS: '1',
  };
  const daemon = await serve({ env });
  const lines = outputOf(await caller.call('lab', 'environment'))
    .trimEnd()
    .split('\n');
  await daemon.stop();
  const seen = new Map(lines.map((line) => line.split('=', 2) as [string, string]));
  // The first comes from the shell that the application is written in.
  for (const name of ['PWD', 'FISK_CALL', 'PATH']) seen.delete(name);
  assert.deepEqual(Object.fromEntries(seen), { HOME: '/home/op', OTHER: 'kept', LLMFORMAT: '1', FISK_AI: '1' });
});

test('an application is asked for its commands once, however many calls follow, and runs where we do', async () => {
  const asked = tempFile('asked', '');
  const schema = { type: 'object', properties: {} };
  const document = JSON.stringify({ name: 'x', commands: [{ name: 'where', help: 'W', restricted_schema: schema }] });
  const application = tempScript(
    `#!/bin/sh\nif [ "$1" = --fisk-introspect ]; then echo asked >> ${asked}; echo '${document}'; exit; fi\npwd\n`,
  );
  const daemon = await serve({ application, identity: 'once' });
  for (let call = 0; call < 3; call++) {
    assert.equal(outputOf(await caller.call('once', 'where')), `${process.cwd()}\n`);
    await caller.card('once');
  }
  await daemon.stop();
  assert.equal(readFileSync(asked, 'utf8'), 'asked\n');
});

test('a program that is gone fails its calls by name, costs no slot, and works again once it is back', async () => {
  const dir = tempDir();
  const application = tempScript(`#!/bin/sh\nexec ${fixture('lab.sh')} "$@"\n`, 'app', dir);
  const daemon = await serve({ application, a2a: 'max_concurrent_tools: 2' });
  renameSync(application, `${application}.away`);
  for (let call = 0; call < 4; call++) {
    const messages = await caller.call('lab', 'echo');
    assert.equal(messages[0]?.json?.['accepted'], true);
    const reply = messages.at(-1)?.json ?? {};
    assert.deepEqual([reply['is_error'], reply['code'], reply['exec']], [true, undefined, undefined]);
    assert.ok(outputOf(messages).includes(application));
  }
  renameSync(`${application}.away`, application);
  assert.equal(outputOf(await caller.call('lab', 'echo')), '\n');
  await daemon.stop();
});

test('closing the inbox stops nothing', async () => {
  const daemon = await serve();
  const { call } = await openCall(1);
  call.close();
  const completed = await waitFor(() => daemon.lines.find((entry) => entry['msg'] === 'tool call completed'));
  assert.equal(completed['exit_code'], 0);
  await daemon.stop();
});

test('with its one slot taken a daemon tells malformed, unanswerable, unknown and surplus calls apart, and loses no slot', async () => {
  const daemon = await serve({ a2a: 'max_concurrent_tools: 1' });
  const { call } = await openCall(2);
  const surplus = await caller.call('lab', 'echo');
  assert.deepEqual([surplus[0]?.json?.['accepted'], surplus.at(-1)?.json?.['code']], [false, 'capacity']);
  assert.ok((surplus.at(-1)?.afterMs ?? Number.NaN) < 200);
  caller.nc.publish('choria.fisk-ai.tool.lab', wireCall('lab', 'echo'));
  for (const body of ['no JSON', '', ' '.repeat(900 * 1024), wireCall('lab', 'echo', {}, { protocol: 'x' })]) {
    const [refused] = await caller.send('choria.fisk-ai.tool.lab', body);
    assert.equal(refused?.refusal?.code, '400');
  }
  for (const name of ['constructor_', '__proto__', '', 'x'.repeat(10_240)]) {
    const unknown = await caller.call('lab', name);
    assert.equal(unknown.at(-1)?.json?.['code'], 'unknown_tool');
  }
  assert.equal(call.ended(), false);
  assert.equal(liveGroups.size, 1);
  await waitFor(() => call.ended());
  assert.equal(outputOf(await caller.call('lab', 'echo', { words: ['third'] })), '[third]\n');
  await daemon.stop();
});

test('the log tells which signal ended a command, its caller only that one did', async () => {
  const daemon = await serve();
  const messages = await caller.call('lab', 'signal');
  await daemon.stop();
  assert.deepEqual(messages.at(-1)?.json?.['exec'], { command: 'signal', exit_code: -1 });
  const line = daemon.lines.find((entry) => entry['msg'] === 'tool call completed');
  assert.deepEqual([line?.['exit_code'], line?.['signal']], [-1, 'SIGSEGV']);
});

test('what is logged about the process of a call is joined to the lines of the call', async () => {
  const env = { ...process.env, FAULTS_LEDGER: tempFile('ledger', '') };
  const daemon = await serve({ application: fixture('trouble.sh'), env, a2a: 'tool_timeout: 500ms' });
  await caller.call('lab', 'leave', { call: 'a' }, { request: 'r-left' });
  const stray = await waitFor(() =>
    daemon.lines.find((line) => /moved out of its process group/.test(`${line['msg']}`)),
  );
  assert.equal(stray['request'], 'r-left');
  await daemon.stop();
});

test('leaving waits for no command: its caller is told, nobody is served any more, and it runs on to its end', async () => {
  const daemon = await serve();
  const started = performance.now();
  const { call, pid } = await openCall(3);
  const last = waitFor(() => call.ended()).then(() => outputOf(call.messages));
  assert.deepEqual(await daemon.stop(), {});
  assert.ok(performance.now() - started < 2500);
  assert.match(await last, /shut down/);
  assert.equal(call.messages.at(-1)?.json?.['code'], 'interrupted');
  assert.equal((await caller.send('choria.fisk-ai.tool.lab', wireCall('lab', 'echo')))[0]?.nobody, true);
  assert.ok(isAlive(pid), 'the command is left alone');
  await waitGone(pid);
});

test('a daemon told to end its commands ends them with all they started', async () => {
  const daemon = await serve();
  const call = caller.open('choria.fisk-ai.tool.lab', wireCall('lab', 'stubborn'));
  await waitFor(() => liveGroups.size === 1);
  const pid = [...liveGroups][0]?.pid ?? 0;
  const left = daemon.stop();
  await daemon.server.kill();
  assert.ok(pid > 1 && !isAlive(pid));
  await waitFor(() => liveGroups.size === 0);
  assert.deepEqual(await left, {});
  assert.equal(call.messages.filter(({ final }) => final).length, 1);
});
