import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { type TestContext, test } from 'node:test';
import { Crowd, doubled, endsOf } from '../support/crowd.ts';
import { natsServerVersions, type ServerAge, startNatsServer } from '../support/nats-server.ts';
import { startServed } from '../support/served.ts';
import { fixture, tempFile } from '../support/tmp.ts';
import { waitFor } from '../support/wait.ts';

async function served(t: TestContext, version?: ServerAge) {
  const nats = await startNatsServer(version === undefined ? {} : { version });
  const ledger = tempFile('ledger', '');
  const env = { FAULTS_LEDGER: ledger };
  const daemon = await startServed({ url: nats.url, application: fixture('trouble.sh'), env });
  const crowd = await Crowd.connect(nats.url, 'lab');
  t.after(async () => {
    await crowd.close();
    await daemon.stop('SIGKILL');
    await nats.stop();
  });
  const running = ['one', 'two'].map((call) => crowd.start('work', { call, seconds: '3' }));
  await waitFor(() => readFileSync(ledger, 'utf8').split('began').length === 3, { what: 'both commands to begin' });
  return { nats, daemon, crowd, running, ledger };
}

for (const version of natsServerVersions()) {
  test(`on ${version}: asked to leave in a burst, it answers what it got and leaves its commands to their end`, async (t) => {
    const { daemon, crowd, running, ledger } = await served(t, version);
    for (let count = 0; count < 2_000; count++) crowd.start('work', { call: `burst-${count}`, seconds: '0' });
    daemon.kill('SIGTERM');
    await crowd.allEnded(10_000);
    assert.equal((await daemon.ended).code, 0);
    assert.deepEqual(
      running.map(({ finals }) => finals[0]?.code),
      ['interrupted', 'interrupted'],
    );
    const ends = endsOf(crowd.calls);
    assert.equal(ends.get('interrupted'), 2);
    assert.deepEqual(
      [...ends.keys()].filter((end) => !['interrupted', 'draining', 'capacity', 'nobody'].includes(end)),
      [],
    );
    assert.deepEqual(doubled(crowd.calls), []);
    await waitFor(() => readFileSync(ledger, 'utf8').split('ended').length === 3, { what: 'both commands to end' });
    assert.equal(readFileSync(ledger, 'utf8').split('began').length, 3, 'nothing else was started');
  });
}

test('asked to leave while there is no server, it leaves at once with 0 and counts what it could not say', async (t) => {
  const { nats, daemon, crowd, running } = await served(t);
  await nats.stop();
  await daemon.printed(/disconnected from NATS/);
  const asked = performance.now();
  daemon.kill('SIGTERM');
  const { code, stderr } = await daemon.ended;
  assert.ok(performance.now() - asked < 1_500);
  assert.equal(code, 0);
  assert.match(stderr, /"replies":2,"reason":"the daemon leaves before they could be delivered"/);
  await nats.restart();
  await waitFor(async () => {
    const late = crowd.start('work', { call: 'late', seconds: '0' });
    await crowd.ended(late, 500);
    return late.nobody;
  });
  assert.deepEqual(
    running.map(({ finals }) => finals.length),
    [0, 0],
  );
});
