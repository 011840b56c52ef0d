import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { inspector } from '../../scripts/mcp-tools.ts';
import { run } from '../support/run.ts';
import { tempDir } from '../support/tmp.ts';
import { bothWays, depotEnv, type Way } from './ways.ts';

const entry = inspector();
const skip = entry === undefined && 'not run: the inspector could not be installed';
const ways = bothWays(entry !== undefined);
const home = tempDir();

/** Runs the inspector once; gives its exit code and the result that it printed. */
async function inspect({ command, url }: Way, era: string, ...flags: string[]) {
  const started = ['-e', `DEPOT_STORE=${depotEnv['DEPOT_STORE']}`, '--', ...(command ?? [])];
  const target = command === undefined ? ['--server-url', url?.() ?? '', '--transport', 'http'] : started;
  const args = [entry ?? '', '--quiet', '--format', 'json', '--protocol-era', era, ...flags, ...target];
  const env = { ...depotEnv, HOME: home, MCP_CATALOG_PATH: join(home, 'catalog.json') };
  const { code, stdout, stderr } = await run(process.execPath, args, { env, timeout: 60_000 });
  return { code, stderr, result: stdout === '' ? undefined : (JSON.parse(stdout).result ?? JSON.parse(stdout)) };
}

for (const way of ways) {
  for (const era of ['legacy', 'modern']) {
    test(`the inspector lists and calls over ${way.way} in its ${era} era`, { skip }, async () => {
      const listed = await inspect(way, era, '--method', 'tools/list', '--strict');
      // With --strict it also fails for schemas that some client could not take.
      assert.equal(listed.code, 0, listed.stderr);
      const names = listed.result.tools.map(({ name }: { name: string }) => name);
      assert.ok(names.includes('part_add') && names.includes('close_clear'), String(names));

      const part = `part-${way.way}-${era}`;
      const input = JSON.stringify({ name: part, count: 3, labels: ['red', '--x'] });
      const add = ['--method', 'tools/call', '--tool-name', 'part_add', '--tool-args-json', input];
      const added = await inspect(way, era, ...add);
      assert.equal(added.code, 0, added.stderr);
      assert.equal(added.result.structuredContent.output, `${part}: 3 added on A1, 3 in all\n`);
    });

    test(`a gated call of the inspector over ${way.way} in its ${era} era is refused, as nobody is asked there`, {
      skip,
    }, async () => {
      const called = await inspect(way, era, '--method', 'tools/call', '--tool-name', 'close_clear');
      assert.equal(called.code, 5, called.stderr);
      assert.equal(called.result._meta['fisk/code'], 'approval_impossible');
    });
  }
}
