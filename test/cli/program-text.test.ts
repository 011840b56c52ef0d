import assert from 'node:assert/strict';
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { programText } from '../../src/cli/program-text.ts';
import { tempDir, tempFile } from '../support/tmp.ts';

/** A directory in which npx finds `target` as fisk. */
function checkout(target?: string): { dir: string; script: string; link: string } {
  const dir = tempDir();
  const script = tempFile('dist/main.js', '', dir);
  const bin = join(dir, 'node_modules', '.bin');
  mkdirSync(bin, { recursive: true });
  symlinkSync(target ?? script, join(bin, 'fisk'));
  return { dir, script, link: join(bin, 'fisk') };
}

test('in a checkout, and below it, fisk is typed with npx, however it was started', () => {
  const { dir, script, link } = checkout();
  mkdirSync(join(dir, 'examples'));
  for (const started of [script, link]) {
    for (const cwd of [dir, join(dir, 'examples')]) assert.equal(programText(started, cwd, '/n'), 'npx fisk');
  }
});

test('an installed fisk is typed by its name, also where npx would find another one', () => {
  const { script } = checkout();
  const installed = join(tempDir(), 'fisk');
  symlinkSync(script, installed);
  assert.equal(programText(installed, tempDir(), '/n'), 'fisk');
  const other = checkout(tempFile('other.js', ''));
  assert.equal(programText(installed, other.dir, '/n'), 'fisk');
});

test('anything else is typed with its path, which is short where that is possible', () => {
  const { dir, script } = checkout(tempFile('other.js', ''));
  assert.equal(programText(script, dir, join(dir, 'bin/node')), 'bin/node dist/main.js');
  assert.equal(programText(script, tempDir(), '/usr/bin/node'), `/usr/bin/node ${script}`);
});
