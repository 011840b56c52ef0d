import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import {
  childEnvironment,
  endLiveGroups,
  liveGroups,
  runCommand,
  silentLog,
  startCompanion,
} from '../../src/process/index.ts';
import { fixture } from '../support/tmp.ts';
import { isAlive, waitFor } from '../support/wait.ts';

const environment = childEnvironment({ base: process.env, remove: [] });

test('a companion talks over three pipes of its own, and its streams block as any program expects', async () => {
  const companion = await startCompanion({
    path: '/bin/sh',
    args: ['-c', 'while read -r line; do echo "got $line"; echo "said $line" >&2; done'],
    environment,
  });
  companion.stdout.setEncoding('utf8');
  companion.stderr.setEncoding('utf8');
  for (const word of ['one', 'two']) {
    companion.stdin.write(`${word}\n`);
    const [[out], [err]] = await Promise.all([once(companion.stdout, 'data'), once(companion.stderr, 'data')]);
    assert.deepEqual([out, err], [`got ${word}\n`, `said ${word}\n`]);
    // A shell whose input does not block reads an error instead of waiting, and ends.
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  companion.stdin.end();
  assert.deepEqual(await companion.exited, { exitCode: 0, signal: null });
  await companion.end();
  assert.equal(liveGroups.size, 0);
});

test('ending a companion ends its whole group, however stubborn, and may be asked for again', async () => {
  const companion = await startCompanion({ path: fixture('stubborn.sh'), args: [], environment });
  const [chunk] = await once(companion.stdout, 'data');
  const pids = (String(chunk).match(/\d+/g) ?? []).map(Number);
  await Promise.all([companion.end(), companion.end()]);
  for (const pid of pids) assert.ok(!isAlive(pid));
  assert.equal((await companion.exited).signal, 'SIGKILL');
  await companion.end();
});

test('a companion that cannot be started says why', async () => {
  await assert.rejects(startCompanion({ path: '/no/such/program', args: [], environment }), {
    code: 'FISK_COMMAND_NOT_FOUND',
  });
});

test('ending what runs ends the commands, and no companion', async () => {
  const companion = await startCompanion({ path: '/bin/cat', args: [], environment });
  const command = runCommand({ path: '/bin/sleep', args: ['60'], environment });
  await waitFor(() => liveGroups.size === 2);
  await endLiveGroups(silentLog);
  assert.equal((await command).signal, 'SIGTERM');
  assert.ok(isAlive(companion.pid));
  await companion.end();
  assert.equal(liveGroups.size, 0);
});
