import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { adoptOrphans, childEnvironment, liveGroups, runCommand, silentLog } from '../../src/process/index.ts';
import { commandsOf } from '../support/marked.ts';
import { start } from '../support/run.ts';
import { fixture } from '../support/tmp.ts';
import { isAlive, waitFor, waitGone } from '../support/wait.ts';

const program = join(import.meta.dirname, 'programs', 'leaves-commands.ts');

/** Runs the program that leaves commands behind, and gives their pids and what it said; by then it is gone. */
async function leave(how: 'keeper' | 'die', timeoutMs: number, ...names: string[]) {
  const daemon = await start(process.execPath, [program, how, String(timeoutMs), ...names.map(fixture)]);
  await waitFor(() => !isAlive(daemon.pid), { timeout: 10_000, what: 'the end of the daemon' });
  const [pids = '', said = ''] = daemon.stdout().split('\n');
  return { pids: pids.split(',').map(Number), said, daemon };
}

/** The keepers that a daemon left. */
function keepers(daemon: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
        return words.some((word) => word.endsWith('keeper-main.ts')) && words.includes(`--left-by=${daemon}`);
      } catch {
        return false;
      }
    })
    .map(Number);
}

test('commands live on after the daemon, also those that write, and each ends at its deadline', async () => {
  const began = performance.now();
  const { pids, said, daemon } = await leave('keeper', 3_000, 'sleeper.sh', 'endless.sh', 'stubborn.sh');
  assert.equal(said, '3 kept');
  // Whoever reads what the daemon prints hears its end now, and not when the last command does.
  await daemon.ended;
  await delay(500);
  for (const pid of pids) assert.ok(isAlive(pid), `${pid} lives after the daemon`);
  for (const pid of pids) await waitGone(pid, 10_000);
  assert.ok(performance.now() - began >= 2_900);
  await waitFor(() => keepers(daemon.pid).length === 0, { what: 'the end of the keeper' });
});

test('a process that left its group is ended at the deadline too', async () => {
  const { pids, daemon } = await leave('keeper', 1_500, 'leaver.sh');
  const strays = commandsOf([daemon.pid]).filter((pid) => !pids.includes(pid));
  assert.ok(strays.length > 0);
  for (const pid of [...strays, ...pids]) await waitGone(pid, 10_000);
});

test('the keeper leaves when the last command has ended by itself, long before any deadline', async () => {
  const { pids, daemon } = await leave('keeper', 60_000, 'sleeper.sh');
  assert.equal(keepers(daemon.pid).length, 1);
  for (const pid of pids) process.kill(-pid, 'SIGTERM');
  await waitFor(() => keepers(daemon.pid).length === 0, { what: 'the end of the keeper' });
});

test('without a running command there is no keeper', async () => {
  const { said, daemon } = await leave('keeper', 1_000);
  assert.equal(said, '0 kept');
  await daemon.ended;
});

test('a later daemon ends the commands of one that was killed, at their deadline and not before', async () => {
  const { pids } = await leave('die', 2_500, 'stubborn.sh');
  const [pid = 0] = pids;
  assert.ok(isAlive(pid));
  const lines: string[] = [];
  const log = {
    info: () => {},
    warn: (fields: object, message: string) => lines.push(`${message} ${JSON.stringify(fields)}`),
  };
  const marks = await adoptOrphans(log);
  assert.ok(marks.some((mark) => markOf(pid) === mark));
  assert.match(lines[0] ?? '', /^found commands of a daemon that died.*"seconds_left":\[/);
  await delay(300);
  assert.ok(isAlive(pid));
  // What keeps this process alive is the test; the watch alone would not.
  await waitFor(() => !isAlive(pid), { timeout: 10_000, what: 'the end of the command' });
  assert.ok(
    lines.some((line) => line.startsWith('ended a command of a daemon that died') && line.includes(String(pid))),
  );
});

test("commands of a daemon that lives are nobody else's", async () => {
  const environment = childEnvironment({ base: process.env, remove: [] });
  const stop = new AbortController();
  const spec = { path: fixture('sleeper.sh'), args: [], environment, timeoutMs: 60_000, signal: stop.signal };
  const running = assert.rejects(runCommand(spec), { code: 'FISK_COMMAND_CANCELLED' });
  const group = await waitFor(() => [...liveGroups][0]);
  assert.ok(!(await adoptOrphans(silentLog)).includes(group.mark));
  stop.abort();
  await running;
});

function markOf(pid: number): string | undefined {
  return /FISK_CALL=([^\0]*)/.exec(readFileSync(`/proc/${pid}/environ`, 'utf8'))?.[1];
}
