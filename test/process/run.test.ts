import assert from 'node:assert/strict';
import { closeSync, copyFileSync, mkdirSync, openSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { CommandCancelledError, CommandTimeoutError } from '../../src/errors.ts';
import { type CommandSpec, childEnvironment, liveGroups, runCommand } from '../../src/process/index.ts';
import { fixture, tempDir, tempFile, tempScript } from '../support/tmp.ts';
import { isAlive, waitFor, waitGone } from '../support/wait.ts';

const environment = childEnvironment({ base: process.env, remove: [] });

function runFixture(name: string, args: string[] = [], options: Partial<CommandSpec> = {}) {
  return runCommand({ path: fixture(name), args, environment, ...options });
}

/** Pids that a fixture printed, taken from the partial output of the error it ended with. */
function pidsIn(error: unknown): number[] {
  assert.ok(error instanceof CommandTimeoutError || error instanceof CommandCancelledError);
  return (error.partial.output.match(/\d+/g) ?? []).map(Number);
}

async function failure(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => assert.fail('did not fail'),
    (error: unknown) => error,
  );
}

test('lines on stdout and stderr come out in the order they were written', async () => {
  const expected = Array.from({ length: 50 }, (_, index) => `o${index + 1}\ne${index + 1}\n`).join('');
  assert.equal((await runFixture('order.sh')).output, expected);
});

test('everything written just before the exit is there', async () => {
  const { output } = await runFixture('burst.sh');
  assert.equal(output.length, 60_000);
  assert.ok(output.endsWith('END\n'));
});

/** A log whose lines can be read back. */
function notebook() {
  const lines: string[] = [];
  const note = (fields: object, message: string) => void lines.push(`${message} ${JSON.stringify(fields)}`);
  return { lines, log: { info: note, warn: note } };
}

test('a background process that holds the output does not delay the answer to its own end', async () => {
  const held = readdirSync('/proc/self/fd').length;
  const { lines, log } = notebook();
  const began = performance.now();
  const result = await runFixture('grandchild.sh', [], { timeoutMs: 20_000, log });
  const pid = Number(result.output.match(/\d+/)?.[0]);
  assert.equal(result.exitCode, 0);
  assert.equal(result.leftover, true);
  assert.equal(result.truncated, false);
  assert.ok(performance.now() - began < 10_000);
  assert.match(lines.join(), /^a command ended and left a process that holds its output .*"leftover":true/);
  assert.ok(isAlive(pid), 'what a command left running on purpose lives on');
  await waitFor(() => readdirSync('/proc/self/fd').length <= held, { what: 'our end of its output to be closed' });
  assert.equal(liveGroups.size, 0);
  process.kill(pid, 'SIGKILL');
});

test('a background process that never falls silent is listened to for two seconds and not longer', async () => {
  const began = performance.now();
  const { output, exitCode, leftover } = await runFixture('chatterer.sh', [], { timeoutMs: 20_000 });
  assert.deepEqual([exitCode, leftover], [0, true]);
  assert.ok((output.match(/again/g)?.length ?? 0) > 3);
  const took = performance.now() - began;
  assert.ok(took > 1900 && took < 5000, `${took}`);
  // Nobody reads what it writes next, and it ends by that.
  await waitGone(Number(output.match(/\d+/)?.[0]));
});

test('a late writer half a second after the exit is still heard', async () => {
  const { output, leftover } = await runFixture('late-writer.sh');
  assert.equal(output, 'early\nlate\n');
  assert.equal(leftover, false);
});

test('a stubborn command and its child are gone when the timeout is reported', async () => {
  const started = performance.now();
  const error = await failure(runFixture('stubborn.sh', [], { timeoutMs: 500 }));
  assert.ok(error instanceof CommandTimeoutError);
  assert.equal(error.timeoutMs, 500);
  const pids = pidsIn(error);
  assert.equal(pids.length, 2);
  for (const pid of pids) assert.ok(!isAlive(pid), `${pid} lives`);
  const took = performance.now() - started;
  assert.ok(took > 1400 && took < 2900, `killed one second after it was asked to end, not after ${took - 500} ms`);
  assert.equal(liveGroups.size, 0);
});

test('a polite command ends at the first signal, well before the second', async () => {
  const started = performance.now();
  const error = await failure(runFixture('sleeper.sh', [], { timeoutMs: 300 }));
  assert.ok(error instanceof CommandTimeoutError);
  assert.ok(performance.now() - started < 1300);
});

test('a command that stopped itself, and one that closed its output, end at their time', async () => {
  for (const name of ['stops-itself.sh', 'closes-output.sh']) {
    const error = await failure(runFixture(name, [], { timeoutMs: 300 }));
    assert.ok(error instanceof CommandTimeoutError, name);
    for (const pid of pidsIn(error)) assert.ok(!isAlive(pid), name);
  }
});

test('a command that writes for ever is ended and its first and last output kept', async () => {
  const error = await failure(runFixture('endless.sh', [], { timeoutMs: 300 }));
  assert.ok(error instanceof CommandTimeoutError);
  assert.equal(error.partial.truncated, true);
  assert.ok(error.partial.output.startsWith('this line comes again'));
});

test('a group of which only dead processes are left is gone, whoever forgot to reap them', async () => {
  const started = performance.now();
  const error = await failure(runFixture('unreaped.sh', [], { timeoutMs: 300 }));
  assert.ok(error instanceof CommandTimeoutError);
  assert.ok(performance.now() - started < 1200, 'nobody waits for the second signal');
  for (const pid of pidsIn(error)) await waitGone(pid);
});

test('a group that is gone gets no further signal, and nothing comes of trying', async () => {
  const call = runCommand({ path: '/bin/sleep', args: ['0.3'], environment });
  await waitFor(() => liveGroups.size === 1);
  const [group] = [...liveGroups];
  await call;
  assert.equal(await group?.waitGone(0), true);
  group?.signal('SIGTERM');
});

test('a group whose members are never seen twice is killed too, and not taken for gone', async () => {
  const error = await failure(runFixture('chain.sh', [], { timeoutMs: 300 }));
  const [group = 0] = pidsIn(error);
  await waitFor(() => livingMembers(group).length === 0, { timeout: 1_000, what: 'the end of the chain' });
  await delay(200);
  assert.deepEqual(livingMembers(group), []);
});

/** Processes of a group that are not just waiting to be reaped. */
function livingMembers(group: number): string[] {
  return readdirSync('/proc').filter((pid) => {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
      const [state, , member] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      return Number(member) === group && state !== 'Z';
    } catch {
      return false;
    }
  });
}

test('a process that left the group is found by its mark and ended, after the answer', async () => {
  const { lines, log } = notebook();
  const error = await failure(runFixture('leaver.sh', [], { timeoutMs: 500, log }));
  const [pid = 0] = pidsIn(error);
  await waitGone(pid);
  assert.equal(lines.length, 1);
  assert.match(lines[0] ?? '', new RegExp(`moved out of its process group .*${pid}`));
});

test('a process that left the group is asked to end before it is killed', async () => {
  const mark = tempFile('asked', '');
  const inner = `trap "echo asked > ${mark}; exit" TERM; echo "left $$"; while :; do sleep 0.05; done`;
  const path = tempScript(`#!/bin/sh\nsetsid sh -c '${inner}' &\nwait\n`);
  const error = await failure(runCommand({ path, args: [], environment, timeoutMs: 500 }));
  for (const pid of pidsIn(error)) await waitGone(pid);
  assert.equal(readFileSync(mark, 'utf8'), 'asked\n');
});

test('cancelling ends the group, before, during and after the start', async () => {
  const before = await failure(runFixture('sleeper.sh', [], { signal: AbortSignal.abort() }));
  assert.ok(before instanceof CommandCancelledError);
  assert.match(before.message, /not started/);

  const early = new AbortController();
  const during = failure(runFixture('sleeper.sh', [], { signal: early.signal }));
  early.abort();
  assert.ok((await during) instanceof CommandCancelledError);

  const late = new AbortController();
  const after = failure(runFixture('stubborn.sh', [], { signal: late.signal }));
  await delay(300);
  late.abort();
  for (const pid of pidsIn(await after)) assert.ok(!isAlive(pid));
  assert.equal(liveGroups.size, 0);
});

test('a cancellation after the end changes nothing', async () => {
  const controller = new AbortController();
  assert.equal((await runFixture('exit.sh', ['0'], { signal: controller.signal })).exitCode, 0);
  controller.abort();
});

test('exit codes come through, and a death by signal is minus one with its name', async () => {
  assert.equal((await runFixture('exit.sh', ['7'])).exitCode, 7);
  const { exitCode, signal, output } = await runFixture('signal.sh');
  assert.deepEqual({ exitCode, signal, output }, { exitCode: -1, signal: 'SIGSEGV', output: 'before\n' });
});

test('a command reads the end of its input at once', async () => {
  assert.equal((await runFixture('stdin.sh')).output, 'end of input\n');
});

test('a command may open its own streams by name', async () => {
  const path = tempScript('#!/bin/sh\necho to-stderr > /dev/stderr\necho to-stdout > /dev/stdout\n');
  assert.equal((await runCommand({ path, args: [], environment })).output, 'to-stderr\nto-stdout\n');
});

test('signals are at their default in a command, whatever is ignored here', async () => {
  process.on('SIGPIPE', () => {});
  const { output } = await runFixture('masks.sh');
  const [blocked, ignored] = (output.match(/[0-9a-f]{16}/g) ?? []).map((mask) => BigInt(`0x${mask}`));
  // The thread library keeps 32 and 33 to itself; nobody can reset them.
  assert.deepEqual([blocked, (ignored ?? 0n) & ~0x180000000n], [0n, 0n]);
});

test('an argument at the limit passes, one over it and a vector over its limit are refused by name', async () => {
  const at = await runFixture('echo-args.sh', ['x'.repeat(131071)]);
  assert.equal(at.exitCode, 0);
  await assert.rejects(runFixture('echo-args.sh', ['x'.repeat(131072)]), {
    code: 'FISK_ARGUMENT_TOO_LONG',
    message: /argument 1 is 131072 bytes/,
  });
  await assert.rejects(runFixture('echo-args.sh', Array(9).fill('x'.repeat(131071))), {
    code: 'FISK_ARGUMENT_TOO_LONG',
    message: /together/,
  });
});

test('a NUL is refused in arguments, program and directory', async () => {
  await assert.rejects(runFixture('echo-args.sh', ['a', 'b\0c']), { code: 'FISK_ARGUMENT_NUL', message: /argument 2/ });
  await assert.rejects(runCommand({ path: '/bin/tr\0ue', args: [], environment }), { code: 'FISK_ARGUMENT_NUL' });
  await assert.rejects(runFixture('exit.sh', [], { cwd: '/tmp\0' }), { code: 'FISK_ARGUMENT_NUL' });
});

test('each way a program cannot be started says which it is, and no slot or descriptor is lost', async () => {
  const dir = tempDir();
  mkdirSync(join(dir, 'folder'));
  const plain = tempFile('plain', 'just text\n', dir);
  const noFormat = tempScript('echo no first line\n', 'no-format', dir);
  const noInterpreter = tempScript('#!/no/such/interpreter\n', 'no-interpreter', dir);
  const held = readdirSync('/proc/self/fd').length;
  const attempt = (path: string, cwd?: string) => runCommand({ path, args: [], environment, cwd, timeoutMs: 50 });
  await assert.rejects(attempt(join(dir, 'none')), { code: 'FISK_COMMAND_NOT_FOUND', message: /none does not exist/ });
  await assert.rejects(attempt(plain), { code: 'FISK_COMMAND_NOT_EXECUTABLE', message: /permission/ });
  await assert.rejects(attempt(join(dir, 'folder')), { code: 'FISK_COMMAND_NOT_EXECUTABLE', message: /directory/ });
  await assert.rejects(attempt(noFormat), { code: 'FISK_COMMAND_NOT_EXECUTABLE', message: /#!/ });
  await assert.rejects(attempt(noInterpreter), { code: 'FISK_COMMAND_NOT_FOUND', message: /interpreter/ });
  await assert.rejects(attempt('/bin/true', join(dir, 'gone')), { code: 'FISK_DIRECTORY_MISSING', message: /gone/ });
  await assert.rejects(attempt('/bin/true', plain), { code: 'FISK_DIRECTORY_MISSING' });
  // The deadline of each passes; a signal to a group that never was would reach ours.
  await delay(100);
  assert.equal(liveGroups.size, 0);
  await waitFor(() => readdirSync('/proc/self/fd').length <= held, { what: 'as many descriptors as before' });
});

test('a program that is being written is started once that is over', async () => {
  const path = tempScript('#!/bin/sh\necho ran\n');
  const binary = join(tempDir(), 'binary');
  copyFileSync('/bin/true', binary);
  const fd = openSync(binary, 'r+');
  await assert.rejects(runCommand({ path: binary, args: [], environment }), {
    code: 'FISK_SPAWN_FAILED',
    message: /is open for writing and cannot be started until it is closed \(ETXTBSY\)/,
  });
  setTimeout(() => closeSync(fd), 30);
  assert.equal((await runCommand({ path: binary, args: [], environment })).exitCode, 0);
  writeFileSync(path, '#!/bin/sh\necho replaced\n');
  assert.equal((await runCommand({ path, args: [], environment })).output, 'replaced\n');
});

test('the working directory is the one asked for', async () => {
  const dir = tempDir();
  const path = tempScript('#!/bin/sh\npwd -P\n');
  assert.equal((await runCommand({ path, args: [], environment, cwd: dir })).output, `${dir}\n`);
});

test('what was left out of a long output is counted in the log', async () => {
  const { lines, log } = notebook();
  const { output, omittedBytes } = await runFixture('multibyte.sh', ['1'], { log });
  assert.ok(omittedBytes > 900_000 && omittedBytes + Buffer.byteLength(output) > 1_048_576);
  assert.match(lines.join(), new RegExp(`"omitted_bytes":${omittedBytes}}$`));
});

test('200 MiB with characters across every chunk edge grow the process by less than 20 MiB', async () => {
  await runFixture('multibyte.sh', ['1']);
  const before = process.memoryUsage().rss;
  const { output, truncated } = await runFixture('multibyte.sh', ['200']);
  assert.equal(truncated, true);
  assert.ok(!output.includes('�'));
  const growth = (process.memoryUsage().rss - before) / 1048576;
  assert.ok(growth < 20, `grew by ${growth.toFixed(1)} MiB`);
});

test('descriptors are flat over many calls', async () => {
  await runFixture('exit.sh');
  const before = readdirSync('/proc/self/fd').length;
  await Promise.all(
    Array.from({ length: 8 }, async () => {
      for (let call = 0; call < 25; call++) await runFixture('exit.sh');
    }),
  );
  await waitFor(() => readdirSync('/proc/self/fd').length <= before, { what: 'closed descriptors' });
  assert.equal(liveGroups.size, 0);
});

test('a broken program is not taken for a script', async () => {
  const broken = tempScript('\u007fELF broken');
  await assert.rejects(runCommand({ path: broken, args: [], environment }), {
    code: 'FISK_COMMAND_NOT_EXECUTABLE',
    message: /is a program for another kind of machine, or a broken one/,
  });
});
