import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { cpuLimit, defaultConcurrency } from '../../src/process/index.ts';
import { tempDir, tempFile } from '../support/tmp.ts';

interface Case {
  name: string;
  affinity: number;
  limit: number | null;
  cpus: number;
  concurrency: number;
  files: Record<string, string>;
}

const cases: Case[] = JSON.parse(readFileSync(join(import.meta.dirname, 'cases', 'cgroup.json'), 'utf8'));

function rootWith(files: Record<string, string>): string {
  const root = tempDir();
  for (const [path, text] of Object.entries(files)) tempFile(path, text, root);
  return root;
}

for (const { name, affinity, limit, cpus, concurrency, files } of cases) {
  test(`CPU limit: ${name}`, () => {
    const found = cpuLimit({ root: rootWith(files), fallback: affinity });
    assert.deepEqual({ affinity: found.affinity, limit: found.limit, cpus: found.cpus }, { affinity, limit, cpus });
    assert.equal(defaultConcurrency(found.cpus), concurrency);
  });
}

test('a group outside what is mounted is noted and does not limit', () => {
  const other = cases.find((row) => row.name.startsWith('the mounted group'));
  const { notes } = cpuLimit({ root: rootWith(other?.files ?? {}), fallback: 8 });
  assert.equal(notes.length, 1);
  assert.match(notes[0] ?? '', /\/nomad\/shared/);
});

test('the affinity list of the process counts, ranges and single CPUs alike', () => {
  const status = (list: string) => ({ 'proc/self/status': `Name:\tx\nCpus_allowed_list:\t${list}\nMems:\t0\n` });
  assert.equal(cpuLimit({ root: rootWith(status('0-3,8,10-11')), fallback: 64 }).cpus, 7);
  assert.equal(cpuLimit({ root: rootWith(status('5')), fallback: 64 }).cpus, 1);
});

test('the default stays between two and eight commands at a time', () => {
  assert.deepEqual([1, 2, 5, 8, 64].map(defaultConcurrency), [2, 2, 5, 8, 8]);
});

test('this machine has at least one CPU for us', () => {
  assert.ok(cpuLimit().cpus >= 1);
});
