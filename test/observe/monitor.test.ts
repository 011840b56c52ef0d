import assert from 'node:assert/strict';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { pino } from 'pino';
import {
  type CallOutcome,
  type Monitor,
  type MonitorAddress,
  parseMonitorAddress,
  type Serving,
  startMonitor,
  Tally,
} from '../../src/observe/index.ts';
import { promtool, withoutPromtool } from '../support/promtool.ts';
import { run } from '../support/run.ts';
import { waitFor } from '../support/wait.ts';

const silent = pino({ level: 'silent' });
const LOOPBACK: MonitorAddress = { host: '127.0.0.1', port: 0 };

function serving(over: Partial<Serving> = {}): Serving {
  const counts = { malformed: new Map<string, number>(), foreignRecipients: 0, failedSends: 0 };
  const held = () => ({ waiting: 0, held: 0, dropped: 0 });
  return { tools: [], slots: { inUse: 0, limit: 4 }, connection: { connected: true }, counts, held, ...over };
}

function readyTally(over?: Partial<Serving>): Tally {
  const tally = new Tally('lab', '1.2.3');
  tally.serving(serving(over));
  tally.state('ready', 'every subscription is confirmed');
  return tally;
}

async function monitored(t: TestContext, tally = readyTally()) {
  const monitor = await startMonitor(LOOPBACK, tally, silent);
  t.after(() => monitor.close());
  return { tally, monitor, url: `http://127.0.0.1:${monitor.address.port}` };
}

const scrape = async (url: string) => (await fetch(`${url}/metrics`)).text();
const sampleOf = (text: string, series: string) => {
  const line = text.split('\n').find((entry) => entry.startsWith(`${series} `));
  return line === undefined ? undefined : Number(line.slice(series.length));
};

test('an address is a host and a port, or a port alone on loopback', () => {
  const loopback = { host: '127.0.0.1', port: 9090 };
  assert.deepEqual(parseMonitorAddress('9090'), loopback);
  assert.deepEqual(parseMonitorAddress(':9090'), loopback, 'nothing is opened to the world by leaving a host out');
  assert.deepEqual(parseMonitorAddress('0.0.0.0:9090'), { host: '0.0.0.0', port: 9090 });
  assert.deepEqual(parseMonitorAddress('metrics.local:0'), { host: 'metrics.local', port: 0 });
  assert.deepEqual(parseMonitorAddress('[::1]:9090'), { host: '::1', port: 9090 });
  for (const wrong of [
    '',
    'localhost',
    '::1:9090',
    '[nope]:9090',
    '[1.2.3.4]:1',
    '65536',
    '-1',
    '1.5',
    'a b:1',
    'http://x:1',
  ])
    assert.throws(() => parseMonitorAddress(wrong), { code: 'FISK_METRICS_ADDRESS' }, wrong);
});

test('an address that cannot be used is one error that says why', async (t) => {
  const { monitor } = await monitored(t);
  const { port } = monitor.address;
  for (const [address, why] of [
    [{ host: '127.0.0.1', port }, new RegExp(`127\\.0\\.0\\.1:${port}: the address is in use`)],
    [{ host: '192.0.2.1', port: 0 }, /192\.0\.2\.1:0: this machine has no such address/],
    [{ host: 'no-such-host.invalid', port: 0 }, /no-such-host\.invalid:0: the host name/],
  ] as const)
    await assert.rejects(startMonitor(address, new Tally('x', '1'), silent), {
      code: 'FISK_METRICS_ADDRESS',
      message: why,
    });
});

test('the port that was chosen is logged', async (t) => {
  const lines: string[] = [];
  const monitor = await startMonitor(
    LOOPBACK,
    new Tally('x', '1'),
    pino({}, { write: (line) => void lines.push(line) }),
  );
  t.after(() => monitor.close());
  assert.ok(monitor.address.port > 0);
  assert.match(lines.join(''), new RegExp(`"address":"127\\.0\\.0\\.1:${monitor.address.port}"`));
});

test('liveness is the answer itself, under both names; readiness tells each reason why not', async (t) => {
  const connection = { connected: true };
  const tally = new Tally('lab', '1.2.3');
  const { url } = await monitored(t, tally);
  const ask = async (path: string) => {
    const answer = await fetch(url + path);
    assert.equal(answer.headers.get('content-type'), 'application/json');
    return [answer.status, await answer.json()];
  };
  const notYet = ['the daemon is starting', 'the service is not registered'];
  assert.deepEqual(await ask('/readyz'), [503, { ready: false, state: 'starting', reasons: notYet }]);
  assert.deepEqual(await ask('/livez'), [200, { live: true, state: 'starting' }]);
  tally.serving(serving({ connection }));
  tally.state('ready', 'all is well');
  assert.deepEqual(await ask('/readyz'), [200, { ready: true, state: 'ready', reasons: [] }]);
  connection.connected = false;
  const away = ['there is no connection to NATS'];
  assert.deepEqual(await ask('/readyz'), [503, { ready: false, state: 'ready', reasons: away }]);
  assert.deepEqual(await ask('/healthz'), [200, { live: true, state: 'ready' }]);
  tally.state('draining', 'SIGTERM');
  assert.deepEqual(await ask('/readyz'), [
    503,
    { ready: false, state: 'draining', reasons: ['the daemon is draining', ...away] },
  ]);
  assert.equal((await ask('/livez'))[0], 200);
});

test('only reading is possible, and only what is there', async (t) => {
  const { url } = await monitored(t);
  for (const path of ['/', '/metrics', '/livez', '/healthz', '/readyz']) {
    const whole = await fetch(url + path);
    const length = (await whole.text()).length;
    assert.ok(whole.status === 200 && length > 0, path);
    assert.equal(whole.headers.get('cache-control'), 'no-store');
    const head = await fetch(url + path, { method: 'HEAD' });
    assert.deepEqual([head.status, (await head.text()).length], [200, 0]);
    assert.ok(Number(head.headers.get('content-length')) > 0);
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS']) {
      const refused = await fetch(url + path, { method });
      assert.deepEqual([refused.status, refused.headers.get('allow')], [405, 'GET, HEAD'], `${method} ${path}`);
    }
  }
  for (const path of ['/x', '/metrics/', '/..%2f', '/constructor'])
    assert.equal((await fetch(url + path)).status, 404, path);
  assert.equal((await fetch(`${url}/metrics?name=x`)).status, 200);
});

test('a client that sends too much, too many of them, or one that says nothing costs the others nothing', async (t) => {
  const { monitor, url } = await monitored(t);
  const dial = () => connect(monitor.address.port, '127.0.0.1');
  const heard = async (socket: Socket, ms = 8_000) => {
    let text = '';
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString();
    });
    socket.on('error', () => {});
    await waitFor(() => socket.closed, { timeout: ms, what: 'the listener to hang up' });
    return text;
  };
  const huge = dial();
  huge.write(`GET / HTTP/1.1\r\nHost: x\r\nX: ${'a'.repeat(20_000)}\r\n\r\n`);
  assert.match(await heard(huge), /^HTTP\/1\.1 431 /);
  const silentClient = dial();
  silentClient.write('GET / HTTP/1.1\r\nHost: x\r\n');
  const crowd = Array.from({ length: 100 }, dial);
  for (const socket of crowd) socket.on('error', () => {});
  await waitFor(() => crowd.filter((socket) => socket.closed).length >= 30, {
    what: 'those beyond the bound to be sent away',
  });
  for (const socket of crowd) socket.destroy();
  await waitFor(async () => (await fetch(`${url}/livez`).catch(() => undefined))?.status === 200, {
    what: 'an answer',
  });
  assert.match(await heard(silentClient, 15_000), /^HTTP\/1\.1 408 /);
});

test('the metrics pass the checker of Prometheus', { skip: withoutPromtool }, async (t) => {
  const { tally, url } = await monitored(t);
  tally.callStarted({ surface: 'a2a', kind: 'application', tool: 'echo' })('ok');
  tally.refused('a2a', 'capacity');
  tally.spawned(0.002);
  const checked = await promtool(['check', 'metrics'], await scrape(url));
  assert.deepEqual([checked.code, checked.stdout, checked.stderr], [0, '', '']);
});

test('each number of a call is where it belongs', async (t) => {
  const malformed = new Map([['json', 2]]);
  const counts = { malformed, foreignRecipients: 3, failedSends: 4 };
  const held = () => ({ waiting: 1, held: 6, dropped: 5 });
  const tally = readyTally({ counts, held, slots: { inUse: 3, limit: 4 } });
  tally.droppedLogLines = () => 9;
  const { url } = await monitored(t, tally);
  const call = (outcome: CallOutcome) =>
    tally.callStarted({ surface: 'a2a', kind: 'application', tool: 'echo' })(outcome);
  const open = tally.callStarted({ surface: 'a2a', kind: 'application', tool: 'sleep' });
  for (const outcome of ['ok', 'ok', 'nonzero', 'timeout', 'error'] as const) call(outcome);
  tally.refused('a2a', 'capacity');
  tally.spawned(0.003);
  tally.connection('disconnected', 'x');
  tally.connection('reconnected', 'x', 1_500);
  const text = await scrape(url);
  const expected: [string, number][] = [
    ['fisk_build_info{version="1.2.3",identity="lab"}', 1],
    ['fisk_state{state="ready"}', 1],
    ['fisk_state{state="draining"}', 0],
    ['fisk_ready', 1],
    ['fisk_connected', 1],
    ['fisk_reconnects_total', 1],
    ['fisk_slots_limit', 4],
    ['fisk_slots_in_use', 3],
    ['fisk_calls_in_flight', 1],
    ['fisk_call_duration_seconds_count{surface="a2a",kind="application",outcome="ok"}', 2],
    ['fisk_call_duration_seconds_bucket{surface="a2a",kind="application",outcome="ok",le="0.005"}', 2],
    ['fisk_call_duration_seconds_bucket{surface="a2a",kind="application",outcome="ok",le="600"}', 2],
    ['fisk_call_duration_seconds_bucket{surface="a2a",kind="application",outcome="ok",le="+Inf"}', 2],
    ['fisk_tool_calls_total{tool="echo",outcome="timeout"}', 1],
    ['fisk_refusals_total{surface="a2a",code="capacity"}', 1],
    ['fisk_refusals_total{surface="a2a",code="draining"}', 0],
    ['fisk_malformed_requests_total{class="json"}', 2],
    ['fisk_malformed_requests_total{class="size"}', 0],
    ['fisk_foreign_recipients_total', 3],
    ['fisk_reply_failures_total', 4],
    ['fisk_held_replies', 1],
    ['fisk_held_replies_total', 6],
    ['fisk_dropped_replies_total', 5],
    ['fisk_spawn_duration_seconds_bucket{le="0.0025"}', 0],
    ['fisk_spawn_duration_seconds_bucket{le="0.005"}', 1],
    ['fisk_drain_duration_seconds', 0],
    ['fisk_log_lines_dropped_total', 9],
  ];
  for (const [series, value] of expected) assert.equal(sampleOf(text, series), value, series);
  assert.ok((sampleOf(text, 'fisk_tool_seconds_total{tool="echo"}') ?? -1) >= 0);
  open('interrupted');
  open('ok');
  const later = await scrape(url);
  assert.equal(sampleOf(later, 'fisk_calls_in_flight'), 0);
  assert.equal(sampleOf(later, 'fisk_tool_calls_total{tool="sleep",outcome="interrupted"}'), 1);
  assert.equal(
    sampleOf(later, 'fisk_tool_calls_total{tool="sleep",outcome="ok"}'),
    undefined,
    'only the first outcome counts',
  );
});

test('leaving is timed from its beginning to its end', async (t) => {
  const { tally, url } = await monitored(t);
  tally.state('draining', 'SIGTERM');
  await waitFor(async () => (sampleOf(await scrape(url), 'fisk_drain_duration_seconds') ?? 0) > 0.05);
  tally.state('stopped', 'SIGTERM');
  const first = sampleOf(await scrape(url), 'fisk_drain_duration_seconds');
  assert.equal(sampleOf(await scrape(url), 'fisk_drain_duration_seconds'), first);
});

test('a loop that was held up is seen in its histogram', async (t) => {
  const { url } = await monitored(t);
  await waitFor(async () => (sampleOf(await scrape(url), 'fisk_event_loop_delay_seconds_count') ?? 0) > 0);
  const end = performance.now() + 300;
  while (performance.now() < end);
  const above = async () => {
    const text = await scrape(url);
    const count = sampleOf(text, 'fisk_event_loop_delay_seconds_count') ?? 0;
    return count - (sampleOf(text, 'fisk_event_loop_delay_seconds_bucket{le="0.25"}') ?? 0);
  };
  await waitFor(async () => (await above()) >= 1, { what: 'a delay above a quarter of a second' });
});

test('two daemons in one process have numbers of their own', async (t) => {
  const [one, other] = [await monitored(t), await monitored(t)];
  one.tally.refused('a2a', 'capacity');
  const series = 'fisk_refusals_total{surface="a2a",code="capacity"}';
  assert.deepEqual([sampleOf(await scrape(one.url), series), sampleOf(await scrape(other.url), series)], [1, 0]);
});

test('a scrape with 231 tools takes less than 10 ms', async (t) => {
  const { tally, url } = await monitored(t);
  for (let tool = 0; tool < 231; tool++) {
    for (const outcome of ['ok', 'nonzero', 'timeout', 'error'] as const)
      tally.callStarted({ surface: 'a2a', kind: 'application', tool: `a_tool_of_some_length_${tool}` })(outcome);
  }
  const times: number[] = [];
  for (let i = 0; i < 15; i++) {
    const started = performance.now();
    await scrape(url);
    times.push(performance.now() - started);
  }
  const [fastest = 0] = times.sort((a, b) => a - b);
  assert.ok(fastest < 10, `${fastest} ms`);
});

test('the listener keeps no process alive, and its end is at once', async () => {
  const program = join(import.meta.dirname, 'programs', 'listener.ts');
  const ended = await run(process.execPath, [program], { timeout: 10_000 });
  assert.deepEqual([ended.code, ended.stdout, ended.stderr], [0, 'listening\n', '']);
  const tally = new Tally('x', '1');
  const monitor: Monitor = await startMonitor(LOOPBACK, tally, silent);
  const kept = connect(monitor.address.port, '127.0.0.1');
  await new Promise((resolve) => kept.once('connect', resolve));
  monitor.close();
  await waitFor(() => kept.closed);
  const again = createServer();
  await new Promise<void>((resolve) => again.listen(monitor.address.port, '127.0.0.1', resolve));
  again.close();
});
