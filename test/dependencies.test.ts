import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { projectDir } from './support/source.ts';

const read = (path: string) => readFileSync(join(projectDir, path), 'utf8');

test('every dependency is of an exact version and has its reason in the table, shipped ones apart from the others', () => {
  const { dependencies, devDependencies } = JSON.parse(read('package.json'));
  const tables = read('docs/dependencies.md').split('For work on fisk itself');
  assert.equal(tables.length, 2);
  for (const [index, declared] of [dependencies, devDependencies].entries()) {
    const rows = [...(tables[index] ?? '').matchAll(/^\| `([^`]+)` \| (.+\.) \|$/gm)].map(([, name]) => name);
    assert.deepEqual(rows, Object.keys(declared).sort());
    for (const version of Object.values<string>(declared)) assert.match(version, /^\d+\.\d+\.\d+(-\d+)?$/);
  }
});
