import assert from 'node:assert/strict';
import { test } from 'node:test';
import { jumpingClock } from '../support/clock.ts';
import { startNatsServer } from '../support/nats-server.ts';
import { startServed } from '../support/served.ts';
import { waitFor } from '../support/wait.ts';
import { WireCaller, wireCall } from '../support/wire-caller.ts';

const HOUR = 3_600;
const clock = jumpingClock();
const skip = clock === undefined ? 'the package faketime is not installed' : false;

for (const [way, seconds] of [
  ['forward', HOUR],
  ['back', -HOUR],
] as const) {
  test(`when the clock jumps an hour ${way}, calls run as long as they may and no longer`, { skip }, async (t) => {
    clock?.jump(0);
    const nats = await startNatsServer();
    const daemon = await startServed({ url: nats.url, toolTimeout: '2s', env: clock?.env ?? {} });
    const caller = await WireCaller.connect(nats.url);
    t.after(async () => {
      await caller.close();
      await daemon.stop('SIGKILL');
      await nats.stop();
    });
    const [short, long] = ['1', '60'].map((length) => {
      return caller.open('choria.fisk-ai.tool.lab', wireCall('lab', 'sleep', { seconds: length }));
    });
    await waitFor(() => short?.messages.length === 1 && long?.messages.length === 1);
    clock?.jump(seconds);
    await waitFor(() => short?.ended() && long?.ended());
    const [slept, timedOut] = [short?.messages.at(-1), long?.messages.at(-1)];
    assert.match(String(slept?.json?.['output']), /slept/);
    assert.equal(timedOut?.json?.['code'], 'timeout');
    const took = timedOut?.afterMs ?? 0;
    assert.ok(took > 1_900 && took < 4_500, `${took} ms`);
    const told = Date.parse(String(timedOut?.json?.['time'])) - Date.now();
    assert.ok(Math.abs(told - seconds * 1_000) < 60_000, 'the daemon has seen the clock jump');
    const after = await caller.call('lab', 'echo', { words: ['x'] });
    assert.equal(after.at(-1)?.json?.['output'], '[x]\n');
    assert.equal((await daemon.stop()).code, 0);
  });
}

test('when the clock was put back an hour, a server that comes back is found within seconds', { skip }, async (t) => {
  clock?.jump(HOUR);
  const nats = await startNatsServer();
  const daemon = await startServed({ url: nats.url, env: clock?.env ?? {} });
  t.after(async () => {
    await daemon.stop('SIGKILL');
    await nats.stop();
  });
  clock?.jump(0);
  await nats.restart();
  await waitFor(() => daemon.lines().some(({ msg }) => msg === 'reconnected to NATS'), { timeout: 20_000 });
  const caller = await WireCaller.connect(nats.url);
  t.after(() => caller.close());
  assert.equal((await caller.call('lab', 'echo', { words: ['x'] })).at(-1)?.json?.['output'], '[x]\n');
  assert.equal((await daemon.stop()).code, 0);
});
