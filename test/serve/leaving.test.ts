import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startDaemon } from '../support/daemon.ts';
import { natsServerVersions, startNatsServer } from '../support/nats-server.ts';
import { waitFor } from '../support/wait.ts';
import { WireCaller, wireCall } from '../support/wire-caller.ts';

test('a daemon whose server is gone leaves at once, in order', async () => {
  const nats = await startNatsServer();
  const daemon = await startDaemon({ url: nats.url });
  await nats.stop();
  await waitFor(() => daemon.lines.some((line) => line['msg'] === 'disconnected from NATS'));
  const started = performance.now();
  assert.deepEqual(await daemon.stop(), {});
  assert.ok(performance.now() - started < 1_000);
});

for (const version of natsServerVersions()) {
  test(`on ${version}: a daemon that leaves in a storm of calls leaves none of them without an answer`, async (t) => {
    const nats = await startNatsServer({ version });
    const caller = await WireCaller.connect(nats.url);
    t.after(async () => {
      await caller.close();
      await nats.stop();
    });
    const daemon = await startDaemon({ url: nats.url, a2a: 'max_concurrent_tools: 1' });
    const call = () => caller.open('choria.fisk-ai.tool.lab', wireCall('lab', 'sleep', { seconds: '60' }));
    const running = call();
    await waitFor(() => running.messages.length === 1);
    const storm = Array.from({ length: 3_000 }, call);
    // By now they are on their way, and most of them reach a daemon that is leaving. More come until it has left.
    await new Promise((resolve) => setImmediate(resolve));
    let left = false;
    const leaving = daemon.stop().finally(() => {
      left = true;
    });
    while (!left) {
      for (let more = 0; more < 20; more++) storm.push(call());
      await new Promise((resolve) => setImmediate(resolve));
    }
    assert.deepEqual(await leaving, {});
    const late = call();
    const all = [running, ...storm, late];
    await waitFor(() => all.every((one) => one.ended()));

    const ends = new Map<string, number>();
    for (const { messages } of all) {
      const last = messages.at(-1);
      assert.equal(messages.filter(({ final, nobody }) => final || nobody).length, 1);
      const code = last?.nobody ? 'nobody' : String(last?.json?.['code']);
      ends.set(code, (ends.get(code) ?? 0) + 1);
      if (code === 'draining') {
        assert.equal(messages[0]?.json?.['accepted'], false);
        assert.deepEqual(last?.json?.['fisk_ts'], { retry_after_ms: 50, in_use: 1, limit: 1 });
      }
    }
    assert.equal(ends.get('interrupted'), 1);
    assert.ok((ends.get('draining') ?? 0) > 0);
    assert.equal(late.messages[0]?.nobody, true);
    await daemon.server.kill();
  });
}
