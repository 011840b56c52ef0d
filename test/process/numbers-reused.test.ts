import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { accessSync, constants, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { adoptOrphans, childEnvironment, liveGroups, runCommand, silentLog } from '../../src/process/index.ts';
import { startTicks } from '../../src/process/mark.ts';
import { endAll, endStrays } from '../../src/process/strays.ts';
import { monotonicMs } from '../../src/process/timer.ts';
import { spawnOwned } from '../support/run.ts';
import { isAlive, waitFor, waitGone } from '../support/wait.ts';

const KEEPER = join(import.meta.dirname, '../../src/process/keeper-main.ts');
const FIRST_FREE = 3;

/** Whoever may write it chooses the number of the next process, unless another one comes in between. */
const LAST_PID = '/proc/sys/kernel/ns_last_pid';

function cannotChoose(): string | false {
  try {
    accessSync(LAST_PID, constants.W_OK);
    return false;
  } catch {
    return 'the number of a process cannot be chosen here';
  }
}

/** A leader of a group of its own. */
function leader(command: string, ...args: string[]): { pid: number; start: string; child: ChildProcess } {
  const child = spawnOwned(command, args, { detached: true, stdio: ['ignore', 'pipe', 'ignore'] });
  const pid = child.pid ?? 0;
  return { pid, start: startTicks(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? '', child };
}

/** Lets a keeper keep one command whose deadline has passed, and resolves when it has left. */
async function keep(group: number, start: string): Promise<void> {
  const command = {
    group,
    start,
    startedAt: monotonicMs() - 60_000,
    deadline: monotonicMs() - 1,
    mark: randomUUID(),
    output: FIRST_FREE,
  };
  const keeper = spawnOwned(process.execPath, [KEEPER], { stdio: ['pipe', 'ignore', 'inherit', 'pipe'] });
  keeper.stdin?.end(JSON.stringify([command]));
  const ended = new Promise((resolve) => keeper.once('exit', resolve));
  assert.equal(await ended, 0);
}

test('a keeper leaves alone what has the number of its command by now', async () => {
  const stranger = leader('sleep', '60');
  await keep(stranger.pid, String(Number(stranger.start) - 100));
  assert.ok(isAlive(stranger.pid));
  await keep(stranger.pid, stranger.start);
  await waitGone(stranger.pid);
});

test('a keeper ends what is left of a group whose leader has gone', async () => {
  const first = leader('sh', '-c', 'sleep 60 & echo $!');
  let said = '';
  first.child.stdout?.on('data', (chunk: Buffer) => {
    said += chunk.toString();
  });
  const left = await waitFor(() => /\d+/.test(said) && Number(said));
  await waitGone(first.pid);
  assert.ok(isAlive(left));
  await keep(first.pid, first.start);
  await waitGone(left);
});

test('a daemon whose number another process has by now is no longer there, and its commands are ended', async () => {
  const deadline = monotonicMs() + 400;
  const mark = `${process.pid}.1.${randomUUID()}.${deadline}`;
  const { pid } = spawnOwned('sleep', ['60'], { env: { ...process.env, FISK_CALL: mark } });
  await waitFor(() => readFileSync(`/proc/${pid}/environ`, 'utf8').includes(mark));
  assert.ok((await adoptOrphans(silentLog)).includes(mark));
  await waitGone(pid ?? 0);
  assert.ok(monotonicMs() >= deadline);
});

test('a process that is older than a call is none of it, whatever it carries', async () => {
  const mark = randomUUID();
  const { pid = 0 } = spawnOwned('sleep', ['60'], { env: { ...process.env, FISK_CALL: mark } });
  await delay(2_200);
  await endStrays({ mark, ageMs: 0 }, silentLog);
  assert.ok(isAlive(pid));
  await endStrays({ mark, ageMs: 60_000 }, silentLog);
  await waitGone(pid);
});

test('whoever has the number of a command that is over gets none of its signals', {
  skip: cannotChoose(),
}, async () => {
  const environment = childEnvironment({ base: process.env, remove: [] });
  const running = runCommand({ path: '/bin/sleep', args: ['0.2'], environment });
  const group = await waitFor(() => [...liveGroups][0]);
  await running;
  const stranger = await waitFor(
    () => {
      writeFileSync(LAST_PID, String(group.pid - 1));
      const { pid, child } = leader('sleep', '60');
      return pid === group.pid ? child : void child.kill('SIGKILL');
    },
    { what: 'a process of that number' },
  );
  group.signal('SIGKILL');
  await delay(100);
  assert.ok(isAlive(group.pid));
  stranger.kill('SIGKILL');
});

test('what is found once is signalled only while it is still the same process', async () => {
  const { pid, start } = leader('sleep', '60');
  const entry = { pid, group: pid, zombie: false, start };
  await endAll([{ ...entry, start: String(Number(start) - 1) }]);
  assert.ok(isAlive(pid));
  await endAll([entry]);
  await waitGone(pid);
});
