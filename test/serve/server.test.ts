import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openHost } from '../../src/host/index.ts';
import { startServer } from '../../src/serve/index.ts';
import { memoryLog } from '../nats/worker.ts';
import { daemonConfig, startDaemon } from '../support/daemon.ts';
import { natsServerVersions, startNatsServer } from '../support/nats-server.ts';
import { waitFor } from '../support/wait.ts';
import { WireCaller, wireCall } from '../support/wire-caller.ts';

const states = (lines: readonly Record<string, unknown>[]) =>
  lines.filter((line) => line['state'] !== undefined).map((line) => line['state']);

/** What a server that traces says about a subscription. */
const LISTENING = /<<- \[SUB choria\./;

/** What the server says about connections of a name that have come and gone. */
function connections(log: string, name: string): number {
  return new Set([...log.matchAll(/ - (cid:\d+) - "[^"]*:([^":]+)"/g)].filter((m) => m[2] === name).map((m) => m[1]))
    .size;
}

test('a daemon has one connection under its name, offers discovery before tools, and goes through its states', async (t) => {
  const nats = await startNatsServer({ config: 'debug: true, trace: true' });
  t.after(() => nats.stop());
  const daemon = await startDaemon({ url: nats.url });
  assert.equal(daemon.server.state, 'ready');
  assert.match(nats.log(), LISTENING);
  const caller = await WireCaller.connect(nats.url);
  const info = (await caller.nc.request('$SRV.INFO.lab')).json<{
    endpoints: { name: string; queue_group: string }[];
  }>();
  await caller.close();
  assert.deepEqual(
    info.endpoints.map(({ name, queue_group }) => [name, queue_group]),
    [
      ['discovery', 'lab'],
      ['tool', 'lab'],
    ],
  );
  assert.deepEqual(await daemon.stop(), {});
  daemon.server.drain('a second time');
  assert.deepEqual(states(daemon.lines), ['ready', 'draining', 'stopped']);
  const serving = daemon.lines.find((line) => line['msg'] === 'serving');
  assert.deepEqual(
    ['level', 'channels', 'services', 'tools'].map((field) => serving?.[field]),
    ['info', [], ['a2a'], daemon.server.served.served.length],
  );
  assert.equal(serving?.['concurrency'], daemon.server.concurrency);
  const ended = daemon.lines.filter((line) => line['msg'] === 'service stopped');
  assert.deepEqual(
    ended.map((line) => [line['level'], line['identity']]),
    [['debug', 'lab']],
    'our own end is no fault',
  );
  await waitFor(() => connections(nats.log(), 'fisk-ai serve lab') === 1);
});

test('the time limit of runs does not reach a served call', async (t) => {
  const nats = await startNatsServer();
  t.after(() => nats.stop());
  const caller = await WireCaller.connect(nats.url);
  t.after(() => caller.close());
  const daemon = await startDaemon({ url: nats.url, yaml: 'harness: {tool_timeout: 50ms}' });
  const slow = (await caller.call('lab', 'sleep', { seconds: '0.5' })).at(-1)?.json;
  assert.match(String(slow?.['output']), /slept/);
  await daemon.stop();
});

test('a refused call is a warning that says which tool, by whom, and how many slots there are', async (t) => {
  const nats = await startNatsServer();
  t.after(() => nats.stop());
  const caller = await WireCaller.connect(nats.url);
  t.after(() => caller.close());
  const daemon = await startDaemon({ url: nats.url, a2a: 'max_concurrent_tools: 1' });
  assert.equal(daemon.server.concurrency, 1);
  const running = caller.open('choria.fisk-ai.tool.lab', wireCall('lab', 'sleep', { seconds: '1' }));
  await waitFor(() => running.messages.length > 0);
  await caller.call('lab', 'echo');
  await caller.call('lab', 'no_such_tool');
  const refused = daemon.lines.filter((line) => line['msg'] === 'tool call refused');
  assert.deepEqual(
    refused.map((line) => [line['level'], line['tool'], line['code'], line['caller'], line['concurrency']]),
    [
      ['warn', 'echo', 'capacity', 'wire-caller', 1],
      ['warn', 'no_such_tool', 'unknown_tool', 'wire-caller', undefined],
    ],
  );
  running.close();
  await daemon.stop();
});

test('a start that fails leaves no connection, and nothing of it was ever on the air', async (t) => {
  const nats = await startNatsServer({ config: 'debug: true, trace: true' });
  t.after(() => nats.stop());
  await assert.rejects(startDaemon({ url: nats.url, yaml: 'include: {tools: [zzz]}' }), {
    code: 'FISK_NOTHING_TO_SERVE',
    message: /include and exclude of .*agent\.yaml leave no command of .*lab\.sh/,
  });
  await waitFor(() => /fisk-ai serve lab".* - Client connection closed/.test(nats.log()));
  assert.doesNotMatch(nats.log(), LISTENING);
});

test('a connection that cannot be closed in order makes the end a fault', async (t) => {
  const nats = await startNatsServer();
  t.after(() => nats.stop());
  const { config } = daemonConfig({ url: nats.url });
  const { log, lines } = memoryLog();
  const opened = await openHost({ config, env: process.env, servers: [nats.url], connectionName: 'serve lab', log });
  const close = async () => {
    await opened.close();
    throw new Error('one part could not be closed');
  };
  const server = await startServer({ host: { ...opened, close }, version: '1', log });
  server.drain('SIGTERM');
  assert.equal((await server.done).fault?.message, 'one part could not be closed');
  assert.deepEqual(states(lines), ['ready', 'draining', 'failed']);
});

for (const version of natsServerVersions()) {
  test(`on ${version}: a right that is taken away ends the daemon with the fault and no connection`, async (t) => {
    const users = (...deny: string[]) =>
      `debug: true\nauthorization: { users: [ { user: u, password: p, permissions: { subscribe: { deny: ${JSON.stringify(deny)} } } } ] }`;
    const nats = await startNatsServer({ version, config: users('nothing') });
    t.after(() => nats.stop());
    const daemon = await startDaemon({ url: nats.url.replace('://', '://u:p@') });
    await nats.reload(users('choria.fisk-ai.tool.lab', 'choria.fisk-ai.discovery.lab'));
    const { fault } = await daemon.server.done;
    assert.match(String(fault?.message), /choria\.fisk-ai\.(tool|discovery)\.lab/);
    assert.deepEqual(states(daemon.lines), ['ready', 'draining', 'failed']);
    const errors = daemon.lines.filter((line) => line['level'] === 'error');
    assert.deepEqual(
      errors.map((line) => [line['msg'], line['error']]),
      [['service stopped', fault?.message]],
      'two rights were taken away, and the first is the fault',
    );
    await waitFor(() => /fisk-ai serve lab".* - Client connection closed/.test(nats.log()));
  });

  test(`on ${version}: a right that is missing at the start fails it by name`, async (t) => {
    const config =
      'authorization: { users: [ { user: u, password: p, permissions: { subscribe: { deny: "choria.fisk-ai.discovery.lab" } } } ] }';
    const nats = await startNatsServer({ version, config });
    t.after(() => nats.stop());
    await assert.rejects(startDaemon({ url: nats.url.replace('://', '://u:p@') }), {
      code: 'FISK_SERVICE_STOPPED',
      message: /choria\.fisk-ai\.discovery\.lab/,
    });
  });
}
