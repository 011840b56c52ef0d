import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { complete, type Lookup } from '../../src/cli/complete.ts';
import { completionScript } from '../../src/cli/completion-scripts.ts';
import { buildProgram } from '../../src/cli/program.ts';
import { tempDir } from '../support/tmp.ts';
import { memoryTerminal } from './memory-terminal.ts';

const asked: string[] = [];
const lookup: Lookup = {
  agents: async (flags) => {
    asked.push(`agents ${flags.get('context') ?? ''}`);
    return ['depot', 'derrick', 'lab'];
  },
  tools: async (agent) => [`${agent}_add`, `${agent}_ls`],
  properties: async (agent, tool) => [`${agent}-${tool}`, 'name'],
};

function candidates(...words: string[]): Promise<string[]> {
  return complete(
    buildProgram(memoryTerminal(), async () => {}),
    words,
    lookup,
  );
}

test('the first word is a command', async () => {
  assert.deepEqual(await candidates(''), ['serve', 'discover', 'call', 'info', 'completion', 'help']);
  assert.deepEqual(await candidates('c'), ['call', 'completion']);
});

test('a word that begins with a dash is a flag of the command', async () => {
  assert.deepEqual(await candidates('discover', '--'), [
    '--config',
    '--context',
    '--server',
    '--json',
    '--version',
    '--help',
  ]);
  assert.deepEqual(await candidates('serve', '--wo'), ['--work-dir', '--workers']);
  assert.deepEqual(await candidates('--v'), ['--version']);
});

test('choices of a flag and of an argument are offered', async () => {
  assert.deepEqual(await candidates('serve', '--log-format', ''), ['json', 'text']);
  assert.deepEqual(await candidates('completion', 'f'), ['fish']);
});

test('agents are looked up where the flags before the cursor point', async () => {
  asked.length = 0;
  assert.deepEqual(await candidates('discover', '--context', 'local', 'de'), ['depot', 'derrick']);
  assert.deepEqual(await candidates('call', '--context=other', 'l'), ['lab']);
  assert.deepEqual(asked, ['agents local', 'agents other']);
});

test('the tools of the agent and the arguments of the tool follow', async () => {
  assert.deepEqual(await candidates('call', 'depot', ''), ['depot_add', 'depot_ls']);
  assert.deepEqual(await candidates('discover', 'depot', ''), ['depot_add', 'depot_ls']);
  assert.deepEqual(await candidates('call', 'depot', 'depot_add', ''), ['depot-depot_add=', 'name=']);
  assert.deepEqual(await candidates('call', '--json', 'depot', 'depot_add', 'name=x', 'na'), ['name=']);
});

test('nothing is offered where nothing fits', async () => {
  assert.deepEqual(await candidates('discover', 'depot', 'depot_ls', ''), []);
  assert.deepEqual(await candidates('call', 'depot', 'add', 'name=b'), []);
  assert.deepEqual(await candidates('call', 'depot', '--timeout', ''), []);
  assert.deepEqual(await candidates('info', ''), []);
});

test('a file is completed from its directory, a directory only by directories', async () => {
  const dir = tempDir();
  mkdirSync(join(dir, 'sub'));
  writeFileSync(join(dir, 'agent.yaml'), '');
  assert.deepEqual(await candidates('serve', '--config', `${dir}/`), [`${dir}/agent.yaml`, `${dir}/sub/`]);
  assert.deepEqual(await candidates('serve', '--work-dir', `${dir}/`), [`${dir}/sub/`]);
  assert.deepEqual(await candidates('serve', '--config', `${dir}/nope/x`), []);
});

/** A fisk that completes to what it was asked with, first on the PATH of the shell. */
function shellWith(dir: string): NodeJS.ProcessEnv {
  writeFileSync(join(dir, 'fisk'), '#!/bin/sh\nshift\nfor word; do echo "got:$word"; done\necho key=\n', {
    mode: 0o755,
  });
  return { PATH: `${dir}:${process.env['PATH']}` };
}

test('the script for bash asks the program with the words up to the cursor', () => {
  const dir = tempDir();
  const script = `${completionScript('bash')}
COMP_WORDS=(fisk call 'a b' '' later); COMP_CWORD=3; _fisk; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const output = execFileSync('bash', ['-c', script], { env: shellWith(dir), encoding: 'utf8' });
  assert.equal(output, 'got:call\ngot:a b\ngot:\nkey=\n');
});
