import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { directoriesOf } from '../../src/cli/directories.ts';
import { parseConfig } from '../../src/config/index.ts';
import { tempDir } from '../support/tmp.ts';

function directories(text: string, env: NodeJS.ProcessEnv, cwd: string, flags = {}) {
  const { config } = parseConfig(text, { path: '/elsewhere/agent.yaml', mode: 'lenient', env, flags });
  return directoriesOf(config, env, cwd).map(({ use, path, exists }) => [use, path, exists]);
}

test('journals are kept below the state directory, whatever the identity, and below a flag or key before it', () => {
  const cwd = tempDir();
  const journals = (text: string, env: NodeJS.ProcessEnv, flags?: object) =>
    directories(`identity: a\nllm: {model: m}\n${text}`, env, cwd, flags).find(([use]) => use === 'sessions')?.[1];
  assert.equal(journals('', { HOME: '/home/op' }), '/home/op/.local/state/fisk-ai/runs');
  assert.equal(journals('', { HOME: '/home/op', XDG_STATE_HOME: '/state' }), '/state/fisk-ai/runs');
  const file = 'harness: {sessions: {options: {directory: runs}}}';
  assert.equal(journals(file, { HOME: '/home/op' }), join(cwd, 'runs'));
  assert.equal(journals(file, { HOME: '/home/op' }, { 'state-dir': '/typed' }), '/typed');
});

test('relative directories begin at the working directory, not at the file, and what is missing is told', () => {
  const cwd = tempDir();
  mkdirSync(join(cwd, 'notes'));
  const text = 'identity: a\nharness: {memory: {enabled: true}, knowledge: {enabled: true, directory: notes}}';
  assert.deepEqual(directories(text, {}, cwd), [
    ['commands', cwd, true],
    ['memory', join(cwd, 'memory/a'), false],
    ['knowledge', join(cwd, 'notes'), true],
  ]);
});
