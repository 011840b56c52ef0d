import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fisk, startFisk } from '../support/fisk.ts';
import { startNatsServer, type TestNatsServer } from '../support/nats-server.ts';
import { notifySocket } from '../support/notify-socket.ts';
import { startProxy } from '../support/proxy.ts';
import { type Running, start } from '../support/run.ts';
import { projectDir } from '../support/source.ts';
import { fixture, tempDir, tempFile, tempScript } from '../support/tmp.ts';
import { WireCaller } from '../support/wire-caller.ts';

let server: TestNatsServer;
let caller: WireCaller;
before(async () => {
  server = await startNatsServer();
  caller = await WireCaller.connect(server.url);
});
after(async () => {
  await caller.close();
  await server.stop();
});

function serveArgs(application = fixture('lab.sh'), url = server.url): string[] {
  const text = `identity: lab\napplication_path: ${application}\nexpose: {agent: {a2a: {serve_tools: true}}}\n`;
  return ['serve', '--dev', '--server', url, '--log-format', 'json', '--config', tempFile('lab.yaml', text)];
}

async function started(t: TestContext, more: string[] = [], env: NodeJS.ProcessEnv = {}): Promise<Running> {
  const running = await startFisk([...serveArgs(), ...more], { env: { ...process.env, ...env } });
  t.after(() => running.stop('SIGKILL'));
  return running;
}

/** The address that the listener got, from the log. */
async function addressOf(running: Running): Promise<string> {
  const [, address] = await running.printed(/"address":"([^"]+)"/);
  return `http://${address}`;
}

test('a supervisor hears that the daemon is ready when it answers, that it leaves, and its commands cannot speak for it', async (t) => {
  const socket = await notifySocket();
  const credentials = { CREDENTIALS_DIRECTORY: '/run/c', LISTEN_PID: '1', LISTEN_FDS: '1', LISTEN_FDNAMES: 'x' };
  const watchdog = { WATCHDOG_USEC: '400000', ...credentials, INVOCATION_ID: 'kept', JOURNAL_STREAM: '8:1' };
  const running = await started(t, [], { NOTIFY_SOCKET: socket.address, ...watchdog });
  await socket.line(/^READY=1$/);
  const messages = await caller.call('lab', 'environment');
  const seen = String(messages.at(-1)?.json?.['output']);
  assert.doesNotMatch(seen, /^(NOTIFY_SOCKET|WATCHDOG_|LISTEN_|CREDENTIALS_DIRECTORY)/m);
  assert.match(seen, /^INVOCATION_ID=kept$/m);
  assert.match(seen, /^JOURNAL_STREAM=8:1$/m);
  await socket.line(/^WATCHDOG=1$/);
  await socket.line(/^STATUS=ready: \d of \d slots in use, 1 call$/);
  const ended = await running.stop('SIGTERM');
  assert.equal(ended.code, 0);
  const lines = socket.lines();
  assert.ok(lines.indexOf('STOPPING=1') > lines.indexOf('READY=1'));
  assert.equal(lines.at(-1), 'STATUS=stopped: SIGTERM');
  assert.deepEqual([...new Set(socket.datagrams().map(({ pid }) => pid))], [running.pid]);
});

test('a process that is stopped feeds no watchdog', async (t) => {
  const socket = await notifySocket();
  const running = await started(t, [], { NOTIFY_SOCKET: socket.address, WATCHDOG_USEC: '100000' });
  await socket.line(/^READY=1$/);
  running.kill('SIGSTOP');
  await sleep(100);
  const before = socket.datagrams().length;
  await sleep(400);
  assert.equal(socket.datagrams().length, before);
  running.kill('SIGCONT');
  await socket.line(/^WATCHDOG=1$/);
});

test('a start that fails is never ready, and says why', async () => {
  const socket = await notifySocket();
  const env = { ...process.env, NOTIFY_SOCKET: socket.address };
  const ended = await fisk(serveArgs('/no/such/program'), { env });
  assert.equal(ended.code, 1);
  await socket.line(/^STATUS=failed: .*\/no\/such\/program/);
  assert.ok(!socket.lines().includes('READY=1'));
});

test('the address may come from a flag or a variable, and the flag wins', async (t) => {
  const byVariable = await started(t, [], { FISK_METRICS_ADDRESS: '0' });
  assert.match(await addressOf(byVariable), /^http:\/\/127\.0\.0\.1:\d+$/);
  const both = await started(t, ['--metrics-address', 'localhost:0'], { FISK_METRICS_ADDRESS: 'nonsense' });
  assert.match(await addressOf(both), /^http:\/\/localhost:\d+$/);
  const none = await started(t, [], { FISK_METRICS_ADDRESS: '' });
  await none.printed(/the daemon is ready/);
  assert.doesNotMatch(none.stderr(), /"address"/);
});

test('the listener says not ready while the daemon starts, and does not hold up its end', async (t) => {
  const slow = tempScript(`#!/bin/sh\n[ "$1" = --fisk-introspect ] && sleep 2\nexec ${fixture('lab.sh')} "$@"\n`);
  const running = await startFisk([...serveArgs(slow), '--metrics-address', '0'], { env: process.env });
  t.after(() => running.stop('SIGKILL'));
  const url = await addressOf(running);
  const early = await fetch(`${url}/readyz`);
  assert.equal(early.status, 503);
  assert.equal(((await early.json()) as { state: string }).state, 'starting');
  assert.equal((await fetch(`${url}/livez`)).status, 200);
  await running.printed(/the daemon is ready/);
  assert.equal((await fetch(`${url}/readyz`)).status, 200);
  // The connection of these questions is still open.
  const asked = performance.now();
  assert.equal((await running.stop('SIGTERM')).code, 0);
  assert.ok(performance.now() - asked < 1_500);
});

test('a daemon that leaves says at once that it is not ready, however long the server lets it wait', async (t) => {
  const proxy = await startProxy(server.port);
  const running = await startFisk([...serveArgs(undefined, proxy.url), '--metrics-address', '0'], { env: process.env });
  t.after(async () => {
    await running.stop('SIGKILL');
    await proxy.close();
  });
  const url = await addressOf(running);
  await running.printed(/the daemon is ready/);
  proxy.silence();
  running.kill('SIGTERM');
  await running.printed(/^draining: /m);
  const answer = await fetch(`${url}/readyz`);
  const { state, reasons } = (await answer.json()) as { state: string; reasons: string[] };
  assert.deepEqual([answer.status, state, reasons], [503, 'draining', ['the daemon is draining']]);
  const { code } = await running.ended;
  assert.equal(code, 0);
});

test('an address that cannot be used ends the start, also of --check, with one clear error', async (t) => {
  for (const args of [[], ['--check']]) {
    const wrong = await fisk([...serveArgs(), ...args, '--metrics-address', 'nowhere']);
    assert.equal(wrong.code, 1);
    assert.match(wrong.stderr, /^fisk: error: "nowhere" is no address for metrics: give HOST:PORT or PORT\n/);
  }
  const first = await started(t, ['--metrics-address', '0']);
  const { port } = new URL(await addressOf(first));
  const second = await fisk([...serveArgs(), '--metrics-address', port]);
  assert.equal(second.code, 1);
  assert.match(second.stderr, new RegExp(`cannot serve metrics on 127\\.0\\.0\\.1:${port}: the address is in use`));
});

test('a daemon that nobody watches has loaded nothing of what watching needs', async (t) => {
  const loadedBy = async (more: string[]) => {
    const file = join(tempDir(), 'loaded');
    const hook = join(projectDir, 'test', 'support', 'loaded-modules.ts');
    const args = ['--import', hook, join(projectDir, 'src', 'main.ts'), ...serveArgs(), ...more];
    const running = await start(process.execPath, args, { env: { ...process.env, FISK_TEST_LOADED: file } });
    t.after(() => running.stop('SIGKILL'));
    await running.printed(/the daemon is ready/, 20_000);
    await caller.call('lab', 'echo');
    await running.stop();
    assert.ok(existsSync(file));
    return readFileSync(file, 'utf8');
  };
  const plain = await loadedBy([]);
  assert.match(plain, /nats-core/);
  assert.doesNotMatch(plain, /prom-client|observe\/monitor\/|node:http\b/);
  assert.doesNotMatch(plain, /modelcontextprotocol|src\/mcp\//, 'and nothing of another way to serve');
  assert.match(await loadedBy(['--metrics-address', '0']), /prom-client/);
});
