import assert from 'node:assert/strict';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { Crowd, doubled, endsOf } from '../support/crowd.ts';
import { fiskEntry } from '../support/fisk.ts';
import { startNatsServer } from '../support/nats-server.ts';
import { run, start } from '../support/run.ts';
import { jsonLines } from '../support/served.ts';
import { fixture, tempDir, tempFile } from '../support/tmp.ts';
import { waitFor } from '../support/wait.ts';

/** A small disk of its own, seen by the daemon alone. */
const NAMESPACE = ['--mount', '--propagation', 'private'];
const MOUNT = 'mount -t tmpfs -o size=256k none "$0"';
const possible = await run('unshare', [...NAMESPACE, 'sh', '-c', MOUNT, tempDir()]);
const skip = possible.code === 0 ? false : 'no disk can be mounted here';

/** A daemon whose log goes to a file on a small disk. */
async function served(t: TestContext) {
  const nats = await startNatsServer();
  const place = tempDir();
  const a2a = '{ serve_tools: true, max_concurrent_tools: 4 }';
  const config = tempFile(
    'agent.yaml',
    `identity: lab\napplication_path: ${fixture('lab.sh')}\nexpose: { agent: { a2a: ${a2a} } }\n`,
  );
  const serve = [process.execPath, fiskEntry, 'serve', '--dev', '--server', nats.url, '--config', config];
  const command = `${MOUNT} && exec "$@" 2>"$0/log"`;
  const daemon = await start('unshare', [...NAMESPACE, 'sh', '-c', command, place, ...serve], { env: process.env });
  const file = (name: string) => join(`/proc/${daemon.pid}/root`, place, name);
  const log = () => (existsSync(file('log')) ? readFileSync(file('log'), 'utf8') : '');
  const crowd = await Crowd.connect(nats.url, 'lab');
  t.after(async () => {
    await crowd.close();
    await daemon.stop('SIGKILL');
    await nats.stop();
  });
  await waitFor(() => /Exposed:/.test(log()), { timeout: 20_000 });
  const callAll = async (count: number) => {
    const calls = [];
    for (let made = 0; made < count; made += 4) {
      const some = Array.from({ length: 4 }, () => crowd.start('echo', { words: ['x'] }));
      await crowd.allEnded(10_000);
      calls.push(...some);
    }
    return endsOf(calls);
  };
  const fill = () => {
    try {
      for (;;) writeFileSync(file('ballast'), Buffer.alloc(1_024), { flag: 'a' });
    } catch (error) {
      assert.equal((error as NodeJS.ErrnoException).code, 'ENOSPC');
    }
  };
  return { daemon, crowd, log, callAll, fill, makeRoom: () => rmSync(file('ballast')) };
}

test('a full disk under the log holds up no call, and the log goes on once there is room', { skip }, async (t) => {
  const { daemon, crowd, log, callAll, fill, makeRoom } = await served(t);
  fill();
  const before = log().length;
  assert.deepEqual([...(await callAll(60))], [['ok', 60]]);
  assert.ok(log().length - before < 4_096, 'there was no room for what these calls log');
  makeRoom();
  await callAll(4);
  const completed = () => jsonLines(log()).filter((line) => line['msg'] === 'tool call completed');
  await waitFor(() => completed().length === 64, { what: 'the lines of all calls' });
  assert.deepEqual(doubled(crowd.calls), []);
  assert.equal((await daemon.stop()).code, 0);
});

test('a full disk under the log does not hold up the end', { skip }, async (t) => {
  const { daemon, callAll, fill } = await served(t);
  fill();
  await callAll(20);
  const asked = performance.now();
  const { code, signal } = await daemon.stop('SIGTERM');
  assert.deepEqual([code, signal], [0, null]);
  assert.ok(performance.now() - asked < 1_500);
});
