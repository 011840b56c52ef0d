import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { fisk, fiskEntry } from '../support/fisk.ts';
import { run } from '../support/run.ts';
import { tempDir } from '../support/tmp.ts';

/** Runs the program on a runtime that pretends to be another one. */
function pretending(script: string) {
  return run(process.execPath, ['--import', `data:text/javascript,${script}`, fiskEntry, '--version']);
}

test('the built program prints its version and its usage', async () => {
  assert.deepEqual(await fisk(['--version']), { code: 0, signal: null, stdout: 'devel\n', stderr: '' });
  const bare = await fisk([]);
  assert.deepEqual([bare.code, bare.stderr], [0, '']);
  assert.match(bare.stdout, /^Usage: fisk /);
});

for (const version of ['20.20.2', '22.14.0', '18.0.0']) {
  test(`on Node ${version} there is one clear line and exit 1`, async () => {
    const ended = await pretending(`Object.defineProperty(process.versions, 'node', { value: '${version}' })`);
    const stderr = `fisk: error: fisk needs Node.js 22.15.0 or newer, and this is ${version}\n`;
    assert.deepEqual(ended, { code: 1, signal: null, stdout: '', stderr });
  });
}

for (const version of ['22.15.0', '22.20.1', '24.0.0', '30.1.0']) {
  test(`Node ${version} is new enough`, async () => {
    const ended = await pretending(`Object.defineProperty(process.versions, 'node', { value: '${version}' })`);
    assert.equal(ended.code, 0, ended.stderr);
  });
}

test('elsewhere than on Linux there is one clear line and exit 1', async () => {
  const ended = await pretending("Object.defineProperty(process, 'platform', { value: 'darwin' })");
  const stderr = 'fisk: error: fisk runs on Linux with glibc, and this is darwin\n';
  assert.deepEqual(ended, { code: 1, signal: null, stdout: '', stderr });
});

test('a reader of stderr that has stopped does not hold the end up', async () => {
  const fifo = join(tempDir(), 'log');
  // Both ends open here and the pipe full: nothing that is written from now on is taken.
  const script =
    'mkfifo "$1"; exec 3<>"$1"; dd if=/dev/zero of="$1" bs=4096 oflag=nonblock 2>/dev/null; exec "$2" "$3" nonsense 2>&3';
  const started = performance.now();
  const { code } = await run('sh', ['-c', script, 'sh', fifo, process.execPath, fiskEntry], { timeout: 10_000 });
  assert.equal(code, 1);
  assert.ok(performance.now() - started < 8_000);
});
