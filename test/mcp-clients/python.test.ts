import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { pythonClient } from '../../scripts/mcp-tools.ts';
import { run } from '../support/run.ts';
import { bothWays, depotEnv } from './ways.ts';

const path = pythonClient();
const skip = path === undefined && 'not run: the Python client could not be installed';
const ways = bothWays(path !== undefined);

interface Seen {
  revision: string;
  tools: { name: string; inputSchema: object; annotations: { title: string } }[];
  results: { isError?: boolean; content: { text: string }[]; structuredContent?: Record<string, unknown> }[];
  questions: string[];
}

for (const { way, command, url } of ways) {
  for (const [mode, revision] of [
    ['legacy', '2025-11-25'],
    ['auto', '2026-07-28'],
  ] as const) {
    test(`the Python client lists, calls and asks over ${way} in revision ${revision}`, { skip }, async () => {
      const part = `part-${way}-${mode}`;
      const clear = { name: 'close_clear', arguments: {} };
      const wish = {
        mode,
        ...(command === undefined
          ? { url: url?.() }
          : { command: command[0], args: command.slice(1), env: { DEPOT_STORE: depotEnv['DEPOT_STORE'] } }),
        calls: [
          { name: 'part_add', arguments: { name: part, count: 3 } },
          { name: 'part_show', arguments: { name: 'nothing' } },
          { name: 'part_add', arguments: {} },
          { ...clear, approve: false },
          { ...clear, approve: null },
          { ...clear, approve: true },
        ],
      };
      const env = { ...depotEnv, PYTHONPATH: path };
      const args = [join(import.meta.dirname, 'client.py'), JSON.stringify(wish)];
      const { code, stdout, stderr } = await run('python3', args, { env, timeout: 60_000 });
      assert.equal(code, 0, stderr);
      const seen = JSON.parse(stdout) as Seen;
      assert.equal(seen.revision, revision);
      assert.ok(seen.tools.some(({ name }) => name === 'part_add'));

      const [added, missing, wrong, refused, dismissed, approved] = seen.results;
      assert.deepEqual([added?.isError ?? false, added?.structuredContent?.['exit_code']], [false, 0]);
      assert.deepEqual([missing?.isError ?? false, missing?.structuredContent?.['exit_code']], [false, 1]);
      assert.deepEqual([wrong?.isError, refused?.isError, dismissed?.isError], [true, true, true]);
      assert.match(wrong?.content[0]?.text ?? '', /name/);
      assert.equal(approved?.isError ?? false, false, approved?.content[0]?.text);
      assert.equal(seen.questions.length, 3);
      for (const question of seen.questions) assert.match(question, /close clear/);
    });
  }
}
