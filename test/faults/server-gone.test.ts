import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { Crowd, doubled, endsOf, hasEnded } from '../support/crowd.ts';
import { natsServerVersions, startNatsServer, type TestNatsServer } from '../support/nats-server.ts';
import { startServed } from '../support/served.ts';
import { fixture, tempFile } from '../support/tmp.ts';
import { waitFor } from '../support/wait.ts';

async function served(t: TestContext, nats: TestNatsServer) {
  const env = { FAULTS_LEDGER: tempFile('ledger', '') };
  const daemon = await startServed({ url: nats.url, application: fixture('trouble.sh'), env });
  const crowd = await Crowd.connect(nats.url, 'lab');
  t.after(async () => {
    await crowd.close();
    await daemon.stop('SIGKILL');
    await nats.stop();
  });
  return { daemon, crowd };
}

for (const version of natsServerVersions()) {
  describe(`a server ${version} that is not there for a while`, { concurrency: true }, () => {
    for (const away of [1, 5]) {
      test(`killed and back after ${away} s, calls that end before and after are answered once each`, async (t) => {
        const nats = await startNatsServer({ version });
        const { daemon, crowd } = await served(t, nats);
        const before = crowd.start('work', { call: 'before', seconds: String(away * 0.6) });
        // The client of the daemon looks for the server every two seconds.
        const after = crowd.start('work', { call: 'after', seconds: String(away + 3.5) });
        await waitFor(() => before.ack !== undefined && after.ack !== undefined);
        await nats.stop();
        await daemon.printed(/disconnected from NATS/);
        await delay(away * 1_000);
        assert.match(daemon.stderr(), /"msg":"tool call completed"/, 'one has ended while nobody could be told');
        assert.deepEqual([before.finals.length, after.finals.length], [0, 0]);
        await nats.restart();
        await crowd.allEnded(20_000);
        await delay(1_000);
        assert.deepEqual(doubled(crowd.calls), []);
        assert.deepEqual(
          [before.finals[0]?.output, after.finals[0]?.output],
          ['worked on before\n', 'worked on after\n'],
        );
        assert.deepEqual([before.sequence, after.sequence], [2, 2]);
        assert.equal((await daemon.stop()).code, 0);
      });
    }

    test('one that is so slow that it works a tenth of the time loses no call and no answer', async (t) => {
      const nats = await startNatsServer({ version });
      const { daemon, crowd } = await served(t, nats);
      let slow = true;
      const slowness = (async () => {
        while (slow) {
          process.kill(nats.pid, 'SIGSTOP');
          await delay(180);
          process.kill(nats.pid, 'SIGCONT');
          await delay(20);
        }
      })();
      t.after(() => {
        slow = false;
      });
      await crowd.keepCalling(6, performance.now() + 5_000, 10_000, () =>
        crowd.start('work', { call: String(crowd.calls.length), seconds: '0.1' }),
      );
      await crowd.allEnded(10_000);
      slow = false;
      await slowness;
      const ends = endsOf(crowd.calls);
      assert.deepEqual([...ends.keys()].sort(), ['capacity', 'ok']);
      assert.ok((ends.get('ok') ?? 0) > 10, JSON.stringify([...ends]));
      assert.deepEqual(doubled(crowd.calls), []);
      assert.doesNotMatch(daemon.stderr(), /disconnected|could not be sent/);
      assert.equal((await daemon.stop()).code, 0);
    });

    test('one that says that it will go is noted, and what runs is answered once it is back', async (t) => {
      const nats = await startNatsServer({
        version,
        config: 'lame_duck_grace_period: "1s", lame_duck_duration: "30s"',
      });
      const { daemon, crowd } = await served(t, nats);
      const call = crowd.start('work', { call: 'a', seconds: '3' });
      await waitFor(() => call.ack !== undefined);
      process.kill(nats.pid, 'SIGUSR2');
      await daemon.printed(/the NATS server is about to stop/);
      await daemon.printed(/disconnected from NATS/, 20_000);
      await nats.restart();
      await crowd.allEnded(20_000);
      assert.equal(call.finals[0]?.output, 'worked on a\n');
      await waitFor(async () => {
        const next = crowd.start('work', { call: 'b', seconds: '0' });
        await crowd.ended(next, 1_000);
        return next.finals[0]?.code === 'ok';
      });
      assert.deepEqual(doubled(crowd.calls.filter(hasEnded)), []);
      assert.equal((await daemon.stop()).code, 0);
    });
  });
}
