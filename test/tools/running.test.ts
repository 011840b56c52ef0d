import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { childEnvironment } from '../../src/process/index.ts';
import { inputFromText } from '../../src/tools/index.ts';
import { tempDir, tempFile, tempScript } from '../support/tmp.ts';
import { command } from './demo.ts';
import { load, toolOf } from './loading.ts';

/** The tool `c` of an application that runs a shell script for it. */
async function scripted(script: string) {
  const document = tempFile('document.json', JSON.stringify({ name: 'x', commands: [command('c', {}, [])] }));
  const path = tempScript(`#!/bin/sh\nif [ "$1" = --fisk-introspect ]; then exec cat ${document}; fi\n${script}\n`);
  const environment = childEnvironment({ base: { PATH: process.env['PATH'], KEY: 'k' }, remove: ['KEY'] });
  return toolOf(await load('', { path, environment }), 'c');
}

const none = inputFromText('');

suite('running a command', () => {
  test('an exit code other than zero is a result', async () => {
    const tool = await scripted('echo out; echo err >&2; exit 7');
    const outcome = await tool.execute({}, none, {});
    assert.deepEqual(outcome, { output: 'out\nerr\n', exec: { command: 'c', exitCode: 7, truncated: false } });
  });

  test('an end by a signal is a result with exit code -1', async () => {
    const tool = await scripted('kill -TERM $$');
    const { exec } = await tool.execute({}, none, {});
    assert.deepEqual(exec, { command: 'c', exitCode: -1, truncated: false, signal: 'SIGTERM' });
  });

  test('a long output is cut in the middle, and the result says so', async () => {
    const tool = await scripted('head -c 100000 /dev/zero | tr "\\0" x');
    const { output, exec } = await tool.execute({}, none, {});
    assert.equal(exec?.truncated, true);
    assert.ok(output.length < 70_000 && output.includes('[output truncated]'));
  });

  test('it runs in the directory of the call, else in that of this process', async () => {
    const tool = await scripted('pwd');
    const workDir = tempDir();
    assert.equal((await tool.execute({}, none, { workDir })).output.trim(), workDir);
    assert.equal((await tool.execute({}, none, {})).output.trim(), process.cwd());
  });

  test('it has nothing to read, no credentials, and knows that a program reads it', async () => {
    const tool = await scripted('cat; echo "[$KEY][$LLMFORMAT][$FISK_AI]"');
    assert.equal((await tool.execute({}, none, {})).output, '[][1][1]\n');
  });

  test('one that does not end in its time, or is not wanted any more, is no result', async () => {
    const tool = await scripted('echo begun; sleep 30');
    await assert.rejects(tool.execute({ timeoutMs: 300 }, none, {}), { name: 'FISK_COMMAND_TIMEOUT' });
    const signal = AbortSignal.timeout(100);
    await assert.rejects(tool.execute({ signal }, none, {}), { name: 'FISK_COMMAND_CANCELLED' });
  });

  test('a directory that is not there is told as such', async () => {
    const tool = await scripted('pwd');
    const workDir = `${tempDir()}/missing`;
    await assert.rejects(tool.execute({}, none, { workDir }), { name: 'FISK_DIRECTORY_MISSING' });
  });
});
