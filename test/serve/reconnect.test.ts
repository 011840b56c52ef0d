import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { startDaemon } from '../support/daemon.ts';
import { natsServerVersions, startNatsServer } from '../support/nats-server.ts';
import { waitFor } from '../support/wait.ts';
import { WireCaller, wireCall } from '../support/wire-caller.ts';

const TOOL = 'choria.fisk-ai.tool.lab';
const says = (lines: readonly Record<string, unknown>[], text: string) =>
  lines.filter((line) => String(line['msg']).includes(text));

for (const version of natsServerVersions()) {
  describe(`a server that goes away and comes back, nats-server ${version}`, () => {
    test('a call that ends while the server is away is answered once, after it is back', async () => {
      const nats = await startNatsServer({ version });
      const daemon = await startDaemon({ url: nats.url });
      const caller = await WireCaller.connect(nats.url);
      const call = caller.open(TOOL, wireCall('lab', 'sleep', { seconds: '1' }));
      await waitFor(() => call.messages.length === 1);
      await nats.stop();
      await waitFor(() => says(daemon.lines, 'tool call completed').length === 1, { timeout: 10_000 });
      await delay(300);
      await nats.restart();
      await waitFor(() => call.ended(), { timeout: 20_000, what: 'the reply' });
      await delay(1_500);
      assert.deepEqual(
        call.messages.map((message) => [message.kind, message.json?.['sequence']]),
        [
          ['ack', 1],
          ['tool.reply', 2],
        ],
      );
      assert.match(String(call.messages[1]?.json?.['output']), /slept/);
      await caller.close();
      assert.deepEqual(await daemon.stop(), {});
      await nats.stop();
    });

    test('a reply waits for a caller that comes back later than the daemon', async () => {
      const nats = await startNatsServer({ version });
      const daemon = await startDaemon({ url: nats.url });
      const caller = await WireCaller.connect(nats.url);
      const inbox = `late.${version.replace('.', '')}.reply`;
      caller.nc.publish(TOOL, wireCall('lab', 'sleep', { seconds: '1' }), { reply: inbox });
      await waitFor(() => says(daemon.lines, 'tool call running').length === 1);
      await caller.close();
      await nats.stop();
      await waitFor(() => says(daemon.lines, 'tool call completed').length === 1, { timeout: 10_000 });
      await nats.restart();
      await waitFor(() => says(daemon.lines, 'replies that waited').length === 1, { timeout: 20_000 });
      await delay(700);
      const late = await WireCaller.connect(nats.url);
      const got: string[] = [];
      late.nc.subscribe(inbox, { callback: (_, message) => void got.push(message.string()) });
      await waitFor(() => got.length > 0, { timeout: 10_000, what: 'the late reply' });
      await delay(1_200);
      assert.equal(got.length, 1);
      assert.match(got[0] ?? '', /slept/);
      await late.close();
      await daemon.stop();
      await nats.stop();
    });

    test('leaving while the server is away drops what waits in one line and is no fault', async () => {
      const nats = await startNatsServer({ version });
      const daemon = await startDaemon({ url: nats.url });
      const caller = await WireCaller.connect(nats.url);
      const call = caller.open(TOOL, wireCall('lab', 'sleep', { seconds: '3' }));
      await waitFor(() => call.messages.length === 1);
      await nats.stop();
      await waitFor(() => says(daemon.lines, 'disconnected').length === 1);
      const began = performance.now();
      assert.deepEqual(await daemon.stop(), {});
      assert.ok(performance.now() - began < 4_000);
      const dropped = says(daemon.lines, 'final replies were dropped');
      assert.deepEqual(
        dropped.map((line) => line['replies']),
        [1],
      );
      await caller.close();
    });

    test('a server that is away for long never ends the daemon', async () => {
      const nats = await startNatsServer({ version });
      const daemon = await startDaemon({ url: nats.url });
      await nats.stop();
      await delay(6_000);
      assert.equal(daemon.server.state, 'ready');
      await nats.restart();
      const caller = await WireCaller.connect(nats.url);
      await waitFor(
        async () => (await caller.call('lab', 'echo', {}, {}, 1_000).catch(() => [])).some((message) => message.final),
        { timeout: 20_000, what: 'an answer' },
      );
      await caller.close();
      assert.deepEqual(await daemon.stop(), {});
      await nats.stop();
    });
  });
}
