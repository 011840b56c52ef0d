import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { test } from 'node:test';
import { type CaptureSpec, captureCommand, childEnvironment, liveGroups } from '../../src/process/index.ts';
import { fixture, tempDir, tempScript } from '../support/tmp.ts';
import { isAlive } from '../support/wait.ts';

const environment = childEnvironment({ base: process.env, remove: [] });

function capture(path: string, more: Partial<CaptureSpec> = {}) {
  return captureCommand({ path, args: [], environment, stdoutLimit: 1000, stderrLimit: 10, ...more });
}

test('the two streams of a command come apart, each within its bound', async () => {
  const { stdout, stderr, stdoutOverflow, exitCode } = await capture(fixture('order.sh'));
  assert.equal(exitCode, 0);
  assert.equal(stdout.toString(), Array.from({ length: 50 }, (_, index) => `o${index + 1}\n`).join(''));
  assert.equal(stderr.toString(), 'e1\ne2\ne3\ne');
  assert.equal(stdoutOverflow, false);
});

test('one byte more than is kept is told', async () => {
  const over = await capture(fixture('burst.sh'), { stdoutLimit: 59_999 });
  assert.deepEqual([over.stdoutOverflow, over.stdout.length], [true, 59_999]);
  const exact = await capture(fixture('burst.sh'), { stdoutLimit: 60_000 });
  assert.deepEqual([exact.exitCode, exact.stdoutOverflow, exact.stdout.length], [0, false, 60_000]);
});

test('a command that would write for ever is ended with all of its group when no more of it is kept', async () => {
  const path = tempScript('#!/bin/sh\nsleep 60 & echo "$! $$" >&2\nexec yes\n');
  const began = performance.now();
  const over = await capture(path, { timeoutMs: 30_000, stderrLimit: 100 });
  assert.deepEqual([over.exitCode, over.stdoutOverflow, over.stdout.length], [-1, true, 1000]);
  assert.ok(performance.now() - began < 15_000);
  const pids = over.stderr.toString().trim().split(' ').map(Number);
  assert.equal(pids.length, 2);
  for (const pid of pids) assert.ok(!isAlive(pid));
  assert.equal(liveGroups.size, 0);
});

test('past its time a command is ended with all of its group, and its complaint is in the failure', async () => {
  const path = tempScript(`#!/bin/sh\nexec ${fixture('stubborn.sh')} >&2\n`);
  const refusal = capture(path, { timeoutMs: 300, stderrLimit: 100 });
  await assert.rejects(refusal, (error: { code: string; partial: { output: string } }) => {
    assert.equal(error.code, 'FISK_COMMAND_TIMEOUT');
    const pids = (error.partial.output.match(/\d+/g) ?? []).map(Number);
    assert.equal(pids.length, 2);
    for (const pid of pids) assert.ok(!isAlive(pid));
    return true;
  });
  assert.equal(liveGroups.size, 0);
});

test('what nobody wants any more is not even started', async () => {
  const trace = `${tempDir()}/ran`;
  const path = tempScript(`#!/bin/sh\ntouch ${trace}\n`);
  const refusal = { code: 'FISK_COMMAND_CANCELLED', message: /was not started/ };
  await assert.rejects(capture(path, { signal: AbortSignal.abort() }), refusal);
  assert.equal(existsSync(trace), false);
});
