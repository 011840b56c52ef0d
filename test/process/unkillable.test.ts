import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { childEnvironment, liveGroups, runCommand } from '../../src/process/index.ts';
import { fixture } from '../support/tmp.ts';
import { waitFor, waitGone } from '../support/wait.ts';

/** Who is frozen in a control group of version 1 takes no signal, not even the one that nobody can refuse. */
const FREEZER = '/sys/fs/cgroup/freezer';
const group = join(FREEZER, `fisk-test-${process.pid}`);

function withoutFreezer(): string | false {
  try {
    if (!existsSync(join(FREEZER, 'cgroup.procs'))) return 'no freezer of control groups here';
    mkdirSync(group, { recursive: true });
    return false;
  } catch {
    return 'no control group can be made here';
  }
}

test('a command that cannot be killed is given up three seconds after its deadline, and that is logged', {
  skip: withoutFreezer(),
}, async (t) => {
  const environment = childEnvironment({ base: process.env, remove: [] });
  const lines: string[] = [];
  const log = { info: () => {}, warn: (_: object, message: string) => void lines.push(message) };
  const started = performance.now();
  const running = runCommand({ path: fixture('sleeper.sh'), args: [], environment, timeoutMs: 500, log });
  const failed = assert.rejects(running, { code: 'FISK_COMMAND_TIMEOUT' });
  const pid = await waitFor(() => [...liveGroups][0]?.pid);
  const say = (file: string, text: string) => writeFileSync(join(group, file), text);
  t.after(async () => {
    say('freezer.state', 'THAWED');
    await waitGone(pid);
    await waitFor(() => {
      try {
        rmdirSync(group);
        return true;
      } catch {
        return false;
      }
    });
  });
  say('cgroup.procs', String(pid));
  say('freezer.state', 'FROZEN');
  await waitFor(() => readFileSync(join(group, 'freezer.state'), 'utf8') === 'FROZEN\n');
  await failed;
  const took = performance.now() - started;
  assert.ok(took >= 3_400 && took < 5_500, `${took} ms`);
  assert.deepEqual(lines, ['a process group did not end although it was killed; it is left to the system']);
  assert.equal(liveGroups.size, 0);
});
