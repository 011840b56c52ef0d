import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { Crowd, doubled } from '../support/crowd.ts';
import { startNatsServer } from '../support/nats-server.ts';
import { startServed } from '../support/served.ts';
import { tempScript } from '../support/tmp.ts';
import { waitFor } from '../support/wait.ts';

const LIMIT = 256 * 1024 ** 2;

/** A control group whose processes may hold that much memory together, of either version, or nothing where none can be made. */
function memoryGroup(): { path: string; kills(): number } | undefined {
  for (const [top, limit, events] of [
    ['/sys/fs/cgroup/memory', 'memory.limit_in_bytes', 'memory.oom_control'],
    ['/sys/fs/cgroup', 'memory.max', 'memory.events'],
  ] as const) {
    const path = join(top, `fisk-test-memory-${process.pid}`);
    try {
      if (!existsSync(top)) continue;
      mkdirSync(path, { recursive: true });
      writeFileSync(join(path, limit), String(LIMIT));
      const kills = () => Number(/^oom_kill (\d+)$/m.exec(readFileSync(join(path, events), 'utf8'))?.[1]);
      return { path, kills };
    } catch {
      if (existsSync(path)) rmdirSync(path);
    }
  }
  return undefined;
}

const group = memoryGroup();
const skip = group === undefined ? 'no control group for memory can be made here' : false;

const schema = { type: 'object', properties: {} };
const commands = ['devour', 'fork', 'fine'].map((name) => ({ name, help: name, schema, restricted_schema: schema }));
const application = () =>
  tempScript(`#!/bin/sh
case $1 in
--fisk-introspect) echo '${JSON.stringify({ name: 'hungry', commands })}' ;;
devour) echo eating; exec tail /dev/zero ;;
fork) tail /dev/zero; echo "its child ended with $?" ;;
fine) echo fine ;;
esac
`);

test('a command that the kernel ends for its memory is answered, and takes neither the daemon nor its slot with it', {
  skip,
}, async (t) => {
  const { path = '', kills = () => 0 } = group ?? {};
  const nats = await startNatsServer();
  const through = ['sh', '-c', 'echo $$ >"$0/cgroup.procs" && exec "$@"', path];
  const daemon = await startServed({ url: nats.url, slots: 1, through, application: application() });
  const crowd = await Crowd.connect(nats.url, 'lab');
  t.after(async () => {
    await crowd.close();
    await daemon.stop('SIGKILL');
    await nats.stop();
    await waitFor(() => {
      try {
        rmdirSync(path);
        return true;
      } catch {
        return false;
      }
    });
  });
  const call = async (tool: string) => {
    const made = crowd.start(tool);
    await crowd.ended(made, 20_000);
    return made.finals[0];
  };
  for (let round = 1; round <= 2; round++) {
    // A death by signal is an answer: the command ran.
    assert.deepEqual([(await call('devour'))?.code, kills()], ['ok', round * 2 - 1]);
    assert.match((await call('fork'))?.output ?? '', /its child ended with 137/);
    assert.equal((await call('fine'))?.output, 'fine\n');
  }
  assert.equal(kills(), 4);
  const ends = daemon.lines().filter((line) => line['signal'] === 'SIGKILL');
  assert.deepEqual(
    ends.map((line) => [line['msg'], line['command'], line['exit_code']]),
    Array.from({ length: 2 }, () => ['tool call completed', 'devour', -1]),
  );
  assert.deepEqual(doubled(crowd.calls), []);
  assert.equal((await daemon.stop()).code, 0);
});
