import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startDaemon } from '../support/daemon.ts';
import { natsServerVersions, startNatsServer } from '../support/nats-server.ts';
import { waitFor } from '../support/wait.ts';
import { WireCaller, wireCall } from '../support/wire-caller.ts';

const states = (lines: readonly Record<string, unknown>[]) =>
  lines.filter((line) => line['state'] !== undefined).map((line) => line['state']);

/** What the server says about connections of a name that have come and gone. */
function connections(log: string, name: string): number {
  return new Set([...log.matchAll(/ - (cid:\d+) - "[^"]*:([^":]+)"/g)].filter((m) => m[2] === name).map((m) => m[1]))
    .size;
}

test('a daemon has one connection under its name, offers discovery before tools, and goes through its states', async (t) => {
  const nats = await startNatsServer({ config: 'debug: true' });
  t.after(() => nats.stop());
  const daemon = await startDaemon({ url: nats.url });
  assert.equal(daemon.server.state, 'ready');
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
  const nats = await startNatsServer({ config: 'debug: true' });
  t.after(() => nats.stop());
  await assert.rejects(startDaemon({ url: nats.url, yaml: 'include: {tools: [zzz]}' }), {
    code: 'FISK_NOTHING_TO_SERVE',
    message: /include and exclude of .*agent\.yaml leave no command of .*lab\.sh/,
  });
  await waitFor(() => /fisk-ai serve lab".* - Client connection closed/.test(nats.log()));
});

for (const version of natsServerVersions()) {
  test(`on ${version}: a right that is taken away ends the daemon with the fault and no connection`, async (t) => {
    const users = (deny: string) =>
      `debug: true\nauthorization: { users: [ { user: u, password: p, permissions: { subscribe: { deny: "${deny}" } } } ] }`;
    const nats = await startNatsServer({ version, config: users('nothing') });
    t.after(() => nats.stop());
    const daemon = await startDaemon({ url: nats.url.replace('://', '://u:p@') });
    await nats.reload(users('choria.fisk-ai.tool.lab'));
    const { fault } = await daemon.server.done;
    assert.match(String(fault?.message), /choria\.fisk-ai\.tool\.lab/);
    assert.deepEqual(states(daemon.lines), ['ready', 'draining', 'failed']);
    assert.ok(daemon.lines.some((line) => line['level'] === 'error' && line['msg'] === 'service stopped'));
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
