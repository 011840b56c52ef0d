import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { constants, existsSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { DescriptorSink } from '../../src/observe/sink.ts';
import { run, spawnOwned } from '../support/run.ts';
import { tempDir } from '../support/tmp.ts';
import { waitFor } from '../support/wait.ts';

const NODE = process.execPath;
const program = (name: string) => join(import.meta.dirname, 'programs', name);
const CHATTER = program('chatter.ts');

test('all lines and the reason of the exit arrive at a reader that reads', async () => {
  const ended = await run(NODE, [CHATTER, '2000', '100']);
  assert.equal(ended.code, 7);
  const lines = ended.stderr
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { i?: number; error?: string });
  assert.equal(lines.length, 2001);
  lines.slice(0, 2000).forEach((line, i) => {
    assert.equal(line.i, i);
  });
  assert.equal(lines.at(-1)?.error, 'the reason');
});

test('the reason of the exit arrives at a reader that is slow, every time', async () => {
  for (let round = 0; round < 10; round++) {
    const child = spawnOwned(NODE, [CHATTER, '300', '1000'], { stdio: ['ignore', 'ignore', 'pipe'] });
    let text = '';
    // 300 KB into a pipe of 64 KiB: the last lines are still with the writer when it wants to leave.
    await sleep(150);
    child.stderr?.on('data', (chunk: Buffer) => {
      text += chunk.toString();
    });
    const code = await new Promise((resolve) => child.once('close', resolve));
    assert.equal(code, 7);
    assert.match(text.trimEnd().split('\n').at(-1) ?? '', /"msg":"service stopped","error":"the reason"/);
  }
});

test('a reader that goes away ends the log and not the process', async () => {
  const file = join(tempDir(), 'code');
  const script = '{ "$0" "$1" 20000 200 2>&1 >/dev/null; echo "$?" > "$2"; } | head -1 >/dev/null';
  await run('sh', ['-c', script, NODE, CHATTER, file]);
  await waitFor(() => existsSync(file) && readFileSync(file, 'utf8') === '7\n', { what: 'the exit code' });
  const direct = spawnOwned(NODE, [CHATTER, '20000', '200'], { stdio: ['ignore', 'ignore', 'pipe'] });
  direct.stderr?.once('data', () => direct.stderr?.destroy());
  const code = await new Promise((resolve) => direct.once('exit', resolve));
  assert.equal(code, 7);
});

test('a reader that stops reading holds up nothing and costs a bounded amount of memory', async (t) => {
  const child = spawnOwned(NODE, [program('ticker.ts')], { stdio: ['ignore', 'pipe', 'pipe'] });
  t.after(() => child.kill('SIGKILL'));
  child.stderr?.pause();
  let out = '';
  child.stdout?.on('data', (chunk: Buffer) => {
    out += chunk.toString();
  });
  const reports = () =>
    out
      .split('\n')
      .filter((line) => line.endsWith('}'))
      .map((line) => JSON.parse(line) as { dropped: number });
  await waitFor(() => reports().length >= 30, { timeout: 15_000, what: 'thirty reports' });
  // What it cannot get rid of beyond 1 MiB is dropped, and its clock goes on ticking.
  assert.ok((reports().at(-1)?.dropped ?? 0) > 5_000);
  // Once it reads again, it is told that lines are missing.
  let text = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    text += chunk.toString();
  });
  child.stderr?.resume();
  await waitFor(() => /log lines were dropped[^\n]*"lines":\d+/.test(text), { what: 'the note about dropped lines' });
});

test('a log file is appended to and keeps what others wrote to it', async () => {
  const file = join(tempDir(), 'log');
  await run('sh', [
    '-c',
    `echo before > "$2"; "$0" "$1" 3 10 >/dev/null 2>>"$2"; echo after >> "$2"`,
    NODE,
    CHATTER,
    file,
  ]);
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  assert.equal(lines.length, 6);
  assert.deepEqual([lines[0], lines[5]], ['before', 'after']);
});

test('a file gets every line of a burst, however much it is', async () => {
  const file = join(tempDir(), 'log');
  await run('sh', ['-c', '"$0" "$1" 4000 1000 >/dev/null 2>"$2"', NODE, CHATTER, file]);
  const text = readFileSync(file, 'utf8');
  assert.deepEqual([text.trimEnd().split('\n').length, /were dropped/.test(text)], [4001, false]);
  await run('sh', ['-c', '"$0" "$1" 1 2000000 >/dev/null 2>"$2"', NODE, CHATTER, file]);
  assert.equal(readFileSync(file, 'utf8').trimEnd().split('\n').length, 2, 'and a line of two megabytes');
});

test('a reader that has stopped is waited for once', () => {
  const fifo = join(tempDir(), 'fifo');
  execFileSync('mkfifo', [fifo]);
  const fd = openSync(fifo, constants.O_RDWR | constants.O_NONBLOCK);
  const sink = new DescriptorSink(fd);
  sink.write(`${'x'.repeat(200_000)}\n`);
  const started = performance.now();
  for (let round = 0; round < 10; round++) sink.flushSync(300);
  const took = performance.now() - started;
  assert.ok(took >= 300 && took < 1_500, `${took} ms`);
  // The descriptor stays open: the sink still tries it, and its number must not become that of something else.
});

test('a socket as standard error works too', async () => {
  // Node gives a child a UNIX socket for a plain pipe, which the other tests here use; say so if that ever changes.
  const child = spawnOwned(NODE, ['-e', 'console.log(require("fs").fstatSync(2).isSocket())'], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let out = '';
  child.stdout?.on('data', (chunk: Buffer) => {
    out += chunk.toString();
  });
  await new Promise((resolve) => child.once('close', resolve));
  assert.equal(out.trim(), 'true');
});

test('a real pipe with a slow reader gets the reason too', async () => {
  const ended = await run('sh', [
    '-c',
    '"$0" "$1" 300 1000 2>&1 >/dev/null | { sleep 0.3; tail -n 1; }',
    NODE,
    CHATTER,
  ]);
  assert.match(ended.stdout, /"msg":"service stopped","error":"the reason"/);
});
