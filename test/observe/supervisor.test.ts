import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { startSupervision, Tally } from '../../src/observe/index.ts';
import { notifySocket } from '../support/notify-socket.ts';
import { tempDir } from '../support/tmp.ts';
import { waitFor } from '../support/wait.ts';

function supervised(t: TestContext, env: NodeJS.ProcessEnv, tally = new Tally('lab', '1'), drainMs = 60_000) {
  const log: string[] = [];
  const supervision = startSupervision(tally, env, pino({}, { write: (line) => void log.push(line) }), drainMs);
  t.after(() => supervision?.close());
  return { tally, supervision, log };
}

const slots = { inUse: 2, limit: 4 };
const counts = { malformed: new Map<string, number>(), foreignRecipients: 0, failedSends: 0 };
const held = () => ({ waiting: 0, held: 0, dropped: 0 });

test('without a supervisor nothing happens', (t) => {
  assert.equal(supervised(t, {}).supervision, undefined);
  assert.equal(supervised(t, { NOTIFY_SOCKET: '' }).supervision, undefined);
});

for (const [kind, address] of [
  ['in the file system', undefined],
  ['outside the file system', `@fisk-test-${randomUUID()}`],
] as const) {
  test(`a supervisor with a socket ${kind} hears each state once, and what goes on`, async (t) => {
    const socket = await notifySocket(address);
    const { tally } = supervised(t, { NOTIFY_SOCKET: socket.address });
    await socket.line(/^STATUS=starting: looking at the application/);
    tally.serving({ tools: [], slots, counts, held, connection: { connected: true } });
    tally.callStarted({ surface: 'a2a', kind: 'application', tool: 'x' })('timeout');
    tally.refused('a2a', 'capacity');
    assert.ok(!socket.lines().includes('READY=1'));
    tally.state('ready', 'all is well');
    await socket.line(/^READY=1$/);
    await socket.line(/^STATUS=ready: 2 of 4 slots in use, 1 call \(1 failed, 1 refused\)$/);
    tally.connection('disconnected', 'x');
    await socket.line(/^STATUS=ready: .* last fault: disconnected from NATS at 20\d\d-/);
    tally.state('draining', 'SIGTERM\nREADY=1');
    await socket.line(/^STOPPING=1$/);
    await socket.line(/^STATUS=draining \(SIGTERM READY=1\): 2 of 4/);
    await waitFor(() => socket.lines().filter((line) => line === 'EXTEND_TIMEOUT_USEC=10000000').length >= 3, {
      what: 'more time to be asked for again and again',
    });
    tally.state('stopped', 'SIGTERM');
    await socket.line(/^STATUS=stopped: SIGTERM$/);
    for (const line of ['READY=1', 'STOPPING=1'])
      assert.equal(socket.lines().filter((other) => other === line).length, 1);
    assert.ok(
      socket.datagrams().every(({ pid }) => pid === process.pid),
      'the main process speaks for itself',
    );
  });
}

test('more time to leave is asked for until the time for leaving is over, and not beyond', async (t) => {
  const socket = await notifySocket();
  const { tally } = supervised(t, { NOTIFY_SOCKET: socket.address }, new Tally('lab', '1'), 1_500);
  const asked = () => socket.lines().filter((line) => line === 'EXTEND_TIMEOUT_USEC=10000000').length;
  tally.state('draining', 'SIGTERM');
  await waitFor(() => asked() === 2, { what: 'one more second' });
  await sleep(2_500);
  assert.equal(asked(), 2);
});

test('the watchdog is fed at half its time by the event loop, and not while that is blocked', async (t) => {
  const socket = await notifySocket();
  supervised(t, { NOTIFY_SOCKET: socket.address, WATCHDOG_USEC: '200000', WATCHDOG_PID: String(process.pid) });
  const fed = () => socket.datagrams().filter(({ lines }) => lines.includes('WATCHDOG=1'));
  await waitFor(() => fed().length >= 6);
  const gaps = fed().flatMap(({ at }, i, all) => (i === 0 ? [] : [at - (all[i - 1]?.at ?? 0)]));
  const [median = 0] = gaps.sort((a, b) => a - b).slice(Math.floor(gaps.length / 2));
  assert.ok(median > 60 && median < 190, `${median} ms`);
  const end = performance.now() + 600;
  while (performance.now() < end);
  const before = fed().length;
  await waitFor(() => fed().length > before + 1);
  const longest = Math.max(...fed().map(({ at }, i, all) => at - (all[i - 1]?.at ?? at)));
  assert.ok(longest >= 550, `${longest} ms without food while the loop was blocked`);
});

test('a watchdog that watches another process, or none at all, is not fed', async (t) => {
  const socket = await notifySocket();
  supervised(t, { NOTIFY_SOCKET: socket.address, WATCHDOG_USEC: '20000', WATCHDOG_PID: '1' });
  supervised(t, { NOTIFY_SOCKET: socket.address, WATCHDOG_USEC: '0' });
  supervised(t, { NOTIFY_SOCKET: socket.address });
  const { tally } = supervised(t, { NOTIFY_SOCKET: socket.address, WATCHDOG_USEC: 'soon' });
  await sleep(100);
  tally.state('failed', 'the end of this test');
  await socket.line(/the end of this test/);
  assert.ok(!socket.lines().includes('WATCHDOG=1'));
});

test('a supervisor that does not read for a while hears in the end that the daemon is ready, once', async (t) => {
  const socket = await notifySocket();
  const { tally } = supervised(t, { NOTIFY_SOCKET: socket.address, WATCHDOG_USEC: '2000' });
  await socket.line(/WATCHDOG=1/);
  socket.program.kill('SIGSTOP');
  await sleep(1_000);
  const started = performance.now();
  tally.state('ready', 'all is well');
  assert.ok(performance.now() - started < 50, 'nobody waits for it');
  await sleep(300);
  socket.program.kill('SIGCONT');
  await socket.line(/^READY=1$/);
  await sleep(100);
  assert.equal(socket.lines().filter((line) => line === 'READY=1').length, 1);
});

test('a supervisor that cannot be reached costs a line of the log and nothing else', (t) => {
  const long = `/${'x'.repeat(200)}`;
  const unreachable = supervised(t, { NOTIFY_SOCKET: join(tempDir(), 'nobody') });
  unreachable.tally.state('ready', 'all is well');
  unreachable.tally.state('draining', 'SIGTERM');
  assert.equal(unreachable.log.filter((line) => line.includes('the supervisor could not be told')).length, 1);
  for (const address of [long, 'vsock:2:1', 'relative/path']) {
    const { supervision, log } = supervised(t, { NOTIFY_SOCKET: address });
    assert.equal(supervision, undefined);
    assert.match(log.join(''), /the supervisor cannot be told anything/);
  }
});
