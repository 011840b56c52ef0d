import assert from 'node:assert/strict';
import { test } from 'node:test';
import { jumpingClock } from '../support/clock.ts';
import { commandsOf } from '../support/marked.ts';
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

for (const [end, signal] of [
  ['left', 'SIGTERM'],
  ['was killed', 'SIGKILL'],
] as const) {
  test(`a command of a daemon that ${end} ends at its deadline although the clock was put back`, {
    skip,
  }, async (t) => {
    clock?.jump(HOUR);
    const nats = await startNatsServer();
    const options = { url: nats.url, toolTimeout: '5s', env: clock?.env ?? {} };
    const daemon = await startServed(options);
    const caller = await WireCaller.connect(nats.url);
    t.after(async () => {
      await caller.close();
      await daemon.stop('SIGKILL');
      await nats.stop();
    });
    caller.open('choria.fisk-ai.tool.lab', wireCall('lab', 'sleep', { seconds: '60' }));
    await waitFor(() => commandsOf([daemon.pid]).length > 0);
    clock?.jump(0);
    await daemon.stop(signal);
    assert.ok(commandsOf([daemon.pid]).length > 0, 'the command outlives its daemon');
    if (signal === 'SIGKILL') {
      // Nothing but the next daemon knows of it; a keeper is its own watch.
      const next = await startServed(options);
      t.after(() => next.stop('SIGKILL'));
    }
    await waitFor(() => commandsOf([daemon.pid]).length === 0, { timeout: 20_000 });
  });
}
