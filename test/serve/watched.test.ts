import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { pino } from 'pino';
import { startMonitor, Tally } from '../../src/observe/index.ts';
import { liveGroups } from '../../src/process/index.ts';
import { type DaemonOptions, startDaemon } from '../support/daemon.ts';
import { startNatsServer, type TestNatsServer } from '../support/nats-server.ts';
import { waitFor } from '../support/wait.ts';
import { WireCaller, wireCall } from '../support/wire-caller.ts';

const SUBJECT = 'choria.fisk-ai.tool.lab';
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

/** A daemon that is watched, and the question for the value of one of its series. */
async function watched(options: Partial<DaemonOptions> = {}, url = nats.url) {
  const tally = new Tally('lab', '1');
  const daemon = await startDaemon({ url, observer: tally, ...options });
  const monitor = await startMonitor({ host: '127.0.0.1', port: 0 }, tally, pino({ level: 'silent' }));
  const scrape = async () => (await fetch(`http://127.0.0.1:${monitor.address.port}/metrics`)).text();
  const value = async (series: string) => {
    const line = (await scrape()).split('\n').find((entry) => entry.startsWith(`${series} `));
    return line === undefined ? undefined : Number(line.slice(series.length));
  };
  const stop = async () => {
    const end = await daemon.stop();
    monitor.close();
    return end;
  };
  return { tally, daemon, scrape, value, stop };
}

const duration = (outcome: string) =>
  `fisk_call_duration_seconds_count{surface="a2a",kind="application",outcome="${outcome}"}`;

test('every way in which a call can go is counted as what it is, and as nothing else', async () => {
  const { value, tally, stop } = await watched({ a2a: 'max_concurrent_tools: 1\ntool_timeout: 1s' });
  await caller.call('lab', 'echo');
  await caller.call('lab', 'exit', { code: '3' });
  await caller.call('lab', 'signal');
  await caller.call('lab', 'grade', { count: 'many' });
  await caller.call('lab', 'no-such-tool');
  await caller.send(SUBJECT, 'no json');
  const sleeping = caller.open(SUBJECT, wireCall('lab', 'sleep', { seconds: '20' }));
  await waitFor(async () => (await value('fisk_slots_in_use')) === 1);
  assert.equal(await value('fisk_calls_in_flight'), 1);
  await caller.call('lab', 'echo');
  await waitFor(() => sleeping.ended());
  assert.equal(await value(duration('ok')), 1);
  assert.equal(await value(duration('nonzero')), 2);
  assert.equal(await value(duration('timeout')), 1);
  assert.equal(await value(duration('error')), undefined);
  assert.equal(await value('fisk_spawn_duration_seconds_count'), 4);
  for (const code of ['invalid_input', 'unknown_tool', 'capacity'])
    assert.equal(await value(`fisk_refusals_total{surface="a2a",code="${code}"}`), 1, code);
  assert.equal(await value('fisk_malformed_requests_total{class="json"}'), 1);
  assert.deepEqual([await value('fisk_slots_in_use'), await value('fisk_calls_in_flight')], [0, 0]);
  assert.equal(tally.recent.list().length, 4);
  await stop();
});

test('ten thousand invented names add no series', async () => {
  const { scrape, value, stop } = await watched();
  await caller.call('lab', 'echo');
  await caller.call('lab', 'first-invented-name');
  const names = async () => (await scrape()).split('\n').map((line) => line.replace(/ [^ ]*$/, ''));
  const series = await names();
  for (let i = 0; i < 10_000; i++) {
    caller.nc.publish(SUBJECT, wireCall('lab', `invented-${i}`), { reply: 'nobody.listens' });
    if (i % 500 === 0) await caller.nc.flush();
  }
  const refused = 'fisk_refusals_total{surface="a2a",code="unknown_tool"}';
  await waitFor(async () => (await value(refused)) === 10_001, { timeout: 60_000, what: 'all of them to be refused' });
  assert.deepEqual(await names(), series);
  await stop();
});

test('a storm of refusals and of nonsense is a few lines, and each is counted once wherever it is counted', async () => {
  const { daemon, value, stop } = await watched({ a2a: 'max_concurrent_tools: 1' });
  const sleeping = caller.open(SUBJECT, wireCall('lab', 'sleep', { seconds: '20' }));
  await waitFor(() => liveGroups.size === 1);
  const before = daemon.lines.length;
  for (let i = 0; i < 1_000; i++) {
    caller.nc.publish(SUBJECT, wireCall('lab', 'echo'), { reply: 'nobody.listens' });
    caller.nc.publish(SUBJECT, wireCall('lab', 'invented'), { reply: 'nobody.listens' });
    caller.nc.publish(SUBJECT, wireCall('lab', 'grade', { count: 'many' }), { reply: 'nobody.listens' });
    caller.nc.publish(SUBJECT, 'no json', { reply: 'nobody.listens' });
  }
  await caller.nc.flush();
  const metrics = [
    ...['capacity', 'unknown_tool', 'invalid_input'].map((code) => `fisk_refusals_total{surface="a2a",code="${code}"}`),
    'fisk_malformed_requests_total{class="json"}',
  ];
  for (const series of metrics)
    await waitFor(async () => (await value(series)) === 1_000, { timeout: 30_000, what: series });
  await stop();
  const pid = [...liveGroups][0]?.pid ?? 0;
  process.kill(-pid, 'SIGKILL');
  await waitFor(() => sleeping.ended() && liveGroups.size === 0);
  const lines = daemon.lines.slice(before).filter(({ level }) => level === 'warn');
  assert.ok(lines.length < 60, `${lines.length} lines`);
  for (const [message, codes] of [
    ['tool call refused', { capacity: 1_000, unknown_tool: 1_000 }],
    ['tool call failed: arguments do not fit', { invalid_input: 1_000 }],
    ['malformed message refused', { json: 1_000 }],
  ] as const) {
    const told = new Map<string, number>();
    const add = (code: string, times: number) => told.set(code, (told.get(code) ?? 0) + times);
    const singly = lines.filter(({ msg }) => msg === message);
    assert.equal(singly.length, 10, message);
    for (const line of singly) add(String(line['code'] ?? line['class'] ?? 'invalid_input'), 1);
    const counted = lines.filter((line) => line['line'] === message);
    for (const line of counted)
      for (const [code, times] of Object.entries(line['codes'] as Record<string, number>)) add(code, times);
    assert.deepEqual(Object.fromEntries(told), codes, message);
    const numbers = counted.map((line) => Number(line['lines'])).reduce((sum, count) => sum + count, 0);
    assert.equal(
      numbers + 10,
      Object.values(codes).reduce((sum, count) => sum + count, 0),
      message,
    );
  }
});

test('two daemons in one process are built and counted apart', async () => {
  const [one, other] = [await watched(), await watched({ identity: 'other' })];
  await caller.call('other', 'echo');
  assert.deepEqual([await one.value(duration('ok')), await other.value(duration('ok'))], [undefined, 1]);
  assert.equal(await other.value('fisk_build_info{version="1",identity="lab"}'), 1);
  await one.stop();
  await other.stop();
});

test('leaving is told as it goes, and a call left alone counts as interrupted once', async () => {
  const { tally, value, stop } = await watched();
  const states: string[] = [];
  tally.onChange(() => states.at(-1) !== tally.currentState && states.push(tally.currentState));
  caller.open(SUBJECT, wireCall('lab', 'sleep', { seconds: '20' }));
  await waitFor(() => liveGroups.size === 1);
  const pid = [...liveGroups][0]?.pid ?? 0;
  await stop();
  assert.deepEqual(states, ['draining', 'stopped']);
  assert.equal(tally.groups.get('a2a application interrupted')?.durations.count, 1);
  process.kill(-pid, 'SIGKILL');
  await waitFor(() => liveGroups.size === 0);
  await turn();
  assert.deepEqual([...tally.groups.keys()], ['a2a application interrupted']);
  await assert.rejects(value('fisk_ready'));
});

test('a lost connection and its return are kept, and make the daemon unready meanwhile', async () => {
  const own = await startNatsServer();
  const { tally, value, stop } = await watched({}, own.url);
  assert.deepEqual(
    tally.notes.list().map(({ event, server }) => [event, server]),
    [['connected', `127.0.0.1:${own.port}`]],
  );
  await own.stop();
  await waitFor(async () => (await value('fisk_connected')) === 0);
  assert.deepEqual(tally.notReady(), ['there is no connection to NATS']);
  await own.restart();
  await waitFor(async () => (await value('fisk_ready')) === 1, { timeout: 15_000 });
  assert.equal(await value('fisk_reconnects_total'), 1);
  const [back, gone] = tally.notes.list();
  assert.deepEqual([back?.event, gone?.event], ['reconnected', 'disconnected']);
  assert.ok((back?.awayMs ?? 0) > 0);
  await stop();
  await own.stop();
});

test('a server that is about to stop is noted', async () => {
  const own = await startNatsServer({ config: 'lame_duck_duration: "30s"\nlame_duck_grace_period: "1s"' });
  const { tally, stop } = await watched({}, own.url);
  process.kill(own.pid, 'SIGUSR2');
  await waitFor(() => tally.notes.list().some(({ event }) => event === 'lame duck'), { timeout: 10_000 });
  await stop();
  await own.stop();
});

test('the tools are shown with what stands behind them, what they may do, and why one is withheld', async () => {
  const { tally, stop } = await watched();
  const tools = tally.what?.tools ?? [];
  const find = (name: string) => tools.find((tool) => tool.name === name);
  assert.deepEqual(find('echo'), { name: 'echo', kind: 'application', behavior: ['read-only'], gate: undefined });
  assert.deepEqual(find('sleep')?.behavior, ['read-only', 'idempotent']);
  assert.deepEqual([find('approved')?.gate, /approval/.test(find('approved')?.withheld ?? '')], ['ai:confirm', true]);
  await stop();
});
