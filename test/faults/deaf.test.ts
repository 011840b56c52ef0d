import assert from 'node:assert/strict';
import { suite, type TestContext, test } from 'node:test';
import { startNatsServer } from '../support/nats-server.ts';
import { startProxy } from '../support/proxy.ts';
import { startServed } from '../support/served.ts';
import { waitFor } from '../support/wait.ts';
import { WireCaller } from '../support/wire-caller.ts';

async function served(t: TestContext) {
  const nats = await startNatsServer();
  const proxy = await startProxy(nats.port);
  const daemon = await startServed({ url: proxy.url });
  const caller = await WireCaller.connect(nats.url);
  t.after(async () => {
    await caller.close();
    await daemon.stop('SIGKILL');
    await proxy.close();
    await nats.stop();
  });
  const answers = async () => (await caller.call('lab', 'echo', {}, {}, 2_000)).some((message) => message.final);
  assert.ok(await answers());
  return { proxy, daemon, answers };
}

// Each waits for the daemon to notice, which is half a minute.
suite('a daemon that can no longer hear its server', { concurrency: true }, () => {
  test('notices a server that went silent, and comes back once it is there', async (t) => {
    const { proxy, daemon, answers } = await served(t);
    proxy.silence();
    await daemon.printed(/the NATS server does not answer pings/, 60_000);
    await daemon.printed(/disconnected from NATS/);
    await proxy.heal();
    await daemon.printed(/reconnected to NATS/, 30_000);
    await waitFor(answers, { timeout: 10_000 });
  });

  test('notices a server that made no sense, comes back, and keeps its output clean', async (t) => {
    const { proxy, daemon, answers } = await served(t);
    proxy.inject('\x00\xffnonsense\r\n');
    await daemon.printed(/reconnected to NATS/, 90_000);
    await waitFor(answers, { timeout: 10_000 });
    const { stdout } = await daemon.stop();
    assert.equal(stdout, '');
  });
});
