import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { Crowd, doubled } from '../support/crowd.ts';
import { commandsOf } from '../support/marked.ts';
import { startNatsServer, type TestNatsServer } from '../support/nats-server.ts';
import { startServed } from '../support/served.ts';
import { fixture } from '../support/tmp.ts';
import { waitFor } from '../support/wait.ts';
import { workLedger } from '../support/work-ledger.ts';

const SLOTS = 3;
let nats: TestNatsServer;

before(async () => {
  nats = await startNatsServer();
});
after(() => nats.stop());

/** Exactly as many calls as there are slots find one. */
async function allSlotsFree(crowd: Crowd): Promise<void> {
  const calls = Array.from({ length: SLOTS + 2 }, (_, index) => {
    return crowd.start('work', { call: `slot-${index}`, seconds: '0.5' });
  });
  await crowd.allEnded(10_000);
  const codes = calls.map(({ finals }) => finals[0]?.code).sort();
  assert.deepEqual(codes, ['capacity', 'capacity', 'ok', 'ok', 'ok']);
}

describe('a command that misbehaves is ended at its time, with all that it started, and its slot is free', {
  concurrency: 3,
}, () => {
  for (const [tool, what] of [
    ['stubborn', 'ignores every polite signal, and so does its child'],
    ['leave', 'moves a process to a session of its own'],
    ['stop', 'stops itself and never goes on'],
    ['fill', 'writes text for ever'],
    ['binary', 'writes bytes that are no text for ever'],
    ['close', 'closes its output and lives on'],
  ] as const) {
    test(`one that ${what}`, async (t) => {
      const { env } = workLedger();
      const application = fixture('trouble.sh');
      const settings = { url: nats.url, identity: tool, application, slots: SLOTS, toolTimeout: '1s', env };
      const daemon = await startServed(settings);
      const crowd = await Crowd.connect(nats.url, tool);
      t.after(async () => {
        await crowd.close();
        await daemon.stop('SIGKILL');
      });
      const calls = Array.from({ length: SLOTS }, (_, index) => crowd.start(tool, { call: String(index) }));
      await crowd.allEnded(10_000);
      for (const { finals } of calls) assert.equal(finals[0]?.code, 'timeout');
      await allSlotsFree(crowd);
      assert.deepEqual(doubled(crowd.calls), []);
      await waitFor(() => commandsOf([daemon.pid]).length === 0, { what: 'the end of every process of the commands' });
      assert.equal((await daemon.stop()).code, 0);
    });
  }
});
