import assert from 'node:assert/strict';
import { join } from 'node:path';
import test from 'node:test';
import { run } from '../support/run.ts';
import { tempFile } from '../support/tmp.ts';

/** What a half of the new space has room for, in MiB, before and after some work, in a process that started as the daemon does. */
async function sizes(work: string): Promise<{ before: number; after: number }> {
  const module = join(import.meta.dirname, '..', '..', 'src', 'cli', 'new-space.ts');
  const script = tempFile(
    'busy.ts',
    `import { setFlagsFromString, getHeapSpaceStatistics } from 'node:v8';
    setFlagsFromString('--semi-space-growth-factor=1');
    const { growNewSpaceWhenBusy } = await import(${JSON.stringify(module)});
    const size = () => {
      const space = getHeapSpaceStatistics().find((space) => space.space_name === 'new_space');
      return Math.round((space.space_used_size + space.space_available_size) / 2 ** 20);
    };
    const kept = [];
    function work() { ${work} }
    const before = size();
    growNewSpaceWhenBusy(50);
    const end = Date.now() + 1500;
    while (Date.now() < end) { work(); await new Promise((resolve) => setTimeout(resolve, 1)); }
    console.log(JSON.stringify({ before, after: size() }));`,
  );
  const ended = await run(process.execPath, [script]);
  assert.equal(ended.code, 0, ended.stderr);
  return JSON.parse(ended.stdout);
}

// Some of what is made must survive a collection, or the space has no reason to grow.
const BUSY =
  'for (let i = 0; i < 40000; i++) { const made = { i }; if (i % 50 === 0) kept.push(made); } if (kept.length > 30000) kept.length = 0;';

test('the new space of a busy process grows fourfold and no further', async () => {
  assert.deepEqual(await sizes(BUSY), { before: 1, after: 4 });
});

test('the new space of an idle process stays as it is', async () => {
  assert.deepEqual(await sizes(''), { before: 1, after: 1 });
});
