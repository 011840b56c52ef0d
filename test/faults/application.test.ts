import assert from 'node:assert/strict';
import { copyFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { Crowd, doubled } from '../support/crowd.ts';
import { startNatsServer } from '../support/nats-server.ts';
import { startServed } from '../support/served.ts';
import { fixture, tempDir, tempScript } from '../support/tmp.ts';
import { waitFor } from '../support/wait.ts';

test('an application that is replaced, removed and put back while it is served answers with what is there', async (t) => {
  const dir = tempDir();
  const program = join(dir, 'lab.sh');
  copyFileSync(fixture('lab.sh'), program);
  copyFileSync(fixture('lab.json'), join(dir, 'lab.json'));
  const nats = await startNatsServer();
  const daemon = await startServed({ url: nats.url, application: program });
  const crowd = await Crowd.connect(nats.url, 'lab');
  t.after(async () => {
    await crowd.close();
    await daemon.stop('SIGKILL');
    await nats.stop();
  });
  const echo = async () => {
    const call = crowd.start('echo', { words: ['a'] });
    await crowd.ended(call, 5_000);
    return call.finals[0];
  };
  const running = crowd.start('sleep', { seconds: '2' });
  await waitFor(() => running.ack !== undefined);
  assert.equal((await echo())?.output, '[a]\n');

  const next = tempScript('#!/bin/sh\necho "the next one: $1"\n');
  copyFileSync(next, join(dir, 'next'));
  renameSync(join(dir, 'next'), program);
  assert.equal((await echo())?.output, 'the next one: echo\n');

  rmSync(program);
  // More often than there are slots: none is lost with a program that cannot be started.
  for (let count = 0; count < 5; count++) {
    const missing = await echo();
    assert.equal(missing?.code, 'error');
    assert.match(missing?.output ?? '', /lab\.sh does not exist/);
  }
  copyFileSync(fixture('lab.sh'), program);
  assert.equal((await echo())?.output, '[a]\n');
  await crowd.allEnded(5_000);
  assert.match(running.finals[0]?.output ?? '', /slept/, 'what ran before all of that came to its end');
  assert.deepEqual(doubled(crowd.calls), []);
  assert.equal((await daemon.stop()).code, 0);
});
