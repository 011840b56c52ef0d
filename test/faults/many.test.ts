import assert from 'node:assert/strict';
import { after, before, type TestContext, test } from 'node:test';
import { Crowd, type CrowdCall, doubled, endsOf, hasEnded } from '../support/crowd.ts';
import { startNatsServer, type TestNatsServer } from '../support/nats-server.ts';
import { type Served, startServed } from '../support/served.ts';
import { fixture } from '../support/tmp.ts';
import { waitGone } from '../support/wait.ts';
import { workLedger } from '../support/work-ledger.ts';

let nats: TestNatsServer;
before(async () => {
  nats = await startNatsServer();
});
after(() => nats.stop());

/** Members of one identity, and what their commands note. */
async function served(t: TestContext, identity: string, members: number, slots: number) {
  const ledger = workLedger();
  const daemons: Served[] = [];
  for (let count = 0; count < members; count++) {
    const settings = { url: nats.url, identity, application: fixture('trouble.sh'), slots, env: ledger.env };
    daemons.push(await startServed(settings));
  }
  t.after(() => Promise.all(daemons.map((daemon) => daemon.stop('SIGKILL'))));
  return { daemons, ledger };
}

const count = (ends: Map<string, number>, code: string) => ends.get(code) ?? 0;

test('ten times as many calls as there are slots, for five seconds: each has one end, and the slots are never idle', async (t) => {
  const slots = 4;
  const { daemons, ledger } = await served(t, 'flooded', 1, slots);
  const crowd = await Crowd.connect(nats.url, 'flooded');
  t.after(() => crowd.close());
  await crowd.keepCalling(slots * 10, performance.now() + 5_000, 5_000, () =>
    crowd.start('work', { call: String(crowd.calls.length), seconds: '0.2' }),
  );
  await crowd.allEnded(5_000);
  const ends = endsOf(crowd.calls);
  assert.deepEqual([...ends.keys()].sort(), ['capacity', 'ok']);
  assert.deepEqual(doubled(crowd.calls), []);
  // 4 slots and 0.2 s a call make 100 calls in 5 s; half of that on a machine that has other things to do.
  assert.ok(count(ends, 'ok') >= 50, JSON.stringify([...ends]));
  assert.ok(count(ends, 'capacity') > count(ends, 'ok'));
  const works = ledger.read();
  assert.equal(works.size, count(ends, 'ok'), 'a call that was refused has started nothing');
  assert.ok([...works.values()].every(({ times }) => times === 1));
  assert.equal((await daemons[0]?.stop())?.code, 0);
});

test('two hundred callers at once, each on a connection of its own, are all answered', async (t) => {
  const { ledger } = await served(t, 'crowded', 1, 8);
  const crowds = await Promise.all(Array.from({ length: 200 }, () => Crowd.connect(nats.url, 'crowded')));
  t.after(() => Promise.all(crowds.map((crowd) => crowd.close())));
  const calls = crowds.map((crowd, index) => crowd.start('work', { call: String(index), seconds: '0.1' }));
  await Promise.all(crowds.map((crowd) => crowd.allEnded(20_000)));
  const ends = endsOf(calls);
  assert.deepEqual([...ends.keys()].sort(), ['capacity', 'ok']);
  assert.ok(count(ends, 'ok') >= 8);
  assert.equal(ledger.read().size, count(ends, 'ok'));
  assert.deepEqual(doubled(calls), []);
});

test('of two members one is killed: no call is without an answer but those that it ran', async (t) => {
  const { daemons, ledger } = await served(t, 'paired', 2, 4);
  const crowd = await Crowd.connect(nats.url, 'paired');
  t.after(() => crowd.close());
  const names = new Map<CrowdCall, string>();
  const until = performance.now() + 5_000;
  const calling = crowd.keepCalling(6, until, 3_000, () => {
    const name = String(crowd.calls.length);
    const call = crowd.start('work', { call: name, seconds: '0.3' });
    names.set(call, name);
    return call;
  });
  const [victim, other] = daemons;
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  const killedAt = performance.now();
  victim?.kill('SIGKILL');
  await waitGone(victim?.pid ?? 0);
  await calling;
  const works = ledger.read();
  const unanswered = crowd.calls.filter((call) => !hasEnded(call));
  for (const call of unanswered) {
    const work = works.get(names.get(call) ?? '');
    // An acknowledgement may have left with the command not yet begun.
    const began = work === undefined ? 'not begun' : work.daemon;
    assert.ok(began === victim?.pid || (work === undefined && call.ack?.accepted === true), `${began}`);
    assert.ok(call.sentAt < killedAt && call.sentAt > killedAt - 1_500);
  }
  assert.ok(unanswered.length > 0 && unanswered.length <= 4, `${unanswered.length} calls`);
  assert.deepEqual(doubled(crowd.calls), []);
  assert.ok([...works.values()].every(({ times }) => times === 1));
  const later = crowd.calls.filter(({ sentAt }) => sentAt > killedAt);
  assert.ok(later.length > 0);
  const ranLater = later.map((call) => works.get(names.get(call) ?? '')?.daemon).filter((pid) => pid !== undefined);
  assert.deepEqual([...new Set(ranLater)], [other?.pid]);
});
