import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { Crowd, doubled } from '../support/crowd.ts';
import { startNatsServer } from '../support/nats-server.ts';
import { startProxy } from '../support/proxy.ts';
import { startServed } from '../support/served.ts';
import { fixture, tempFile } from '../support/tmp.ts';
import { waitFor } from '../support/wait.ts';

/** A daemon whose way to the server can break, and callers whose way cannot. */
async function served(t: TestContext, config = '') {
  const nats = await startNatsServer({ config });
  const proxy = await startProxy(nats.port);
  const ledger = tempFile('ledger', '');
  const env = { FAULTS_LEDGER: ledger };
  const daemon = await startServed({ url: proxy.url, application: fixture('trouble.sh'), slots: 3, env });
  const crowd = await Crowd.connect(nats.url, 'lab');
  t.after(async () => {
    await crowd.close();
    await daemon.stop('SIGKILL');
    await proxy.close();
    await nats.stop();
  });
  const work = async (call: string, seconds: number) => {
    const made = crowd.start('work', { call, seconds: String(seconds) });
    await waitFor(() => made.ack !== undefined);
    return made;
  };
  return { proxy, daemon, crowd, work };
}

test('cut off from the server, a daemon gets no calls, and answers what ended meanwhile once it is back', async (t) => {
  const { proxy, daemon, crowd, work } = await served(t);
  const [during, later] = await Promise.all([work('during', 1), work('later', 5)]);
  proxy.cut();
  await daemon.printed(/disconnected from NATS/);
  await waitFor(async () => {
    const lost = crowd.start('work', { call: 'lost', seconds: '0' });
    await crowd.ended(lost, 500);
    return lost.nobody;
  });
  await daemon.printed(/tool call completed/);
  assert.equal(during.finals.length, 0);
  await proxy.heal();
  await crowd.allEnded(10_000);
  assert.deepEqual([during.finals[0]?.output, later.finals[0]?.output], ['worked on during\n', 'worked on later\n']);
  assert.deepEqual(doubled(crowd.calls), []);
});

test('where nothing gets through for a while, everything arrives once it does, and once', async (t) => {
  const { proxy, daemon, crowd, work } = await served(t);
  const [during, later] = await Promise.all([work('during', 0.5), work('later', 3)]);
  proxy.silence();
  const sent = crowd.start('work', { call: 'sent', seconds: '0' });
  await delay(1_500);
  assert.deepEqual([during.finals.length, sent.ack], [0, undefined]);
  await proxy.heal();
  await crowd.allEnded(10_000);
  await delay(300);
  assert.deepEqual(
    [during, later, sent].map(({ finals, sequence }) => [finals[0]?.code, sequence]),
    [
      ['ok', 2],
      ['ok', 2],
      ['ok', 2],
    ],
  );
  assert.deepEqual(doubled(crowd.calls), []);
  assert.doesNotMatch(daemon.stderr(), /disconnected/);
});

test('where nothing gets through for longer than the server waits, the daemon comes back and answers what ends then', async (t) => {
  const { proxy, daemon, crowd, work } = await served(t, 'ping_interval: "500ms", ping_max: 1');
  const [during, later] = await Promise.all([work('during', 0.5), work('later', 6)]);
  proxy.silence();
  await waitFor(async () => {
    const probe = crowd.start('work', { call: 'probe', seconds: '0' });
    await crowd.ended(probe, 300);
    return probe.nobody;
  });
  await proxy.heal();
  await daemon.printed(/reconnected to NATS/);
  await crowd.ended(later, 10_000);
  assert.equal(later.finals[0]?.output, 'worked on later\n');
  assert.ok(during.finals.length <= 1, 'what was said to a server that had given up is lost, and not said again');
  assert.deepEqual(doubled(crowd.calls), []);
  const next = await work('next', 0);
  await crowd.ended(next, 5_000);
  assert.equal(next.finals[0]?.code, 'ok');
});
