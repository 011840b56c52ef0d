/**
 * Measures fisk beside what it is compared with, all in one run, and writes the table to bench/RESULTS.md.
 *
 *   npm run bench                  the whole of it, some ten minutes
 *   npm run bench -- --short       a smoke test of the bench itself, whose numbers mean little
 *   npm run bench -- --only loop   one part: throughput, refusals, loop, memory, flood, watching, operating or mcp
 */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startNatsServer } from '../test/support/nats-server.ts';
import { type Bench, buildPrograms } from './lib/contestants.ts';
import { measureFlood } from './lib/flood.ts';
import { measureLoop } from './lib/loop.ts';
import { measureMcp } from './lib/mcp.ts';
import { measureMemory } from './lib/memory.ts';
import { measureOperating } from './lib/operating.ts';
import { measureRefusals } from './lib/refusals.ts';
import type { Row } from './lib/results.ts';
import { measureThroughput } from './lib/throughput.ts';
import { measureWatching } from './lib/watching.ts';

const { values } = parseArgs({ options: { short: { type: 'boolean', default: false }, only: { type: 'string' } } });
const { short, only } = values;

const server = await startNatsServer();
const bench: Bench = { server: server.url, ...buildPrograms(), peer: process.env['FISK_PEER'] || undefined };

const parts = new Map<string, () => Promise<Row[]>>([
  ['throughput', () => measureThroughput(bench, short ? { rounds: 1, seconds: 1 } : { rounds: 7, seconds: 4 })],
  ['refusals', () => measureRefusals(bench, short ? 200 : 5_000)],
  ['loop', () => measureLoop(bench, short ? 2 : 15)],
  [
    'memory',
    () => measureMemory(bench, short ? { starts: 1, first: 50, last: 100 } : { starts: 7, first: 2_000, last: 10_000 }),
  ],
  ['flood', () => measureFlood(bench, short ? 64 : 1024, short ? 1 : 7)],
  ['watching', () => measureWatching(bench, short ? { rounds: 1, calls: 200 } : { rounds: 5, calls: 5_000 })],
  ['operating', () => measureOperating(bench, short ? { scrapes: 3, ends: 1 } : { scrapes: 50, ends: 9 })],
  [
    'mcp',
    () =>
      measureMcp(
        bench,
        short
          ? { rounds: 1, seconds: 1, lists: 20, first: 50, last: 100 }
          : { rounds: 7, seconds: 4, lists: 500, first: 2_000, last: 10_000 },
      ),
  ],
]);
if (only !== undefined && !parts.has(only)) throw new Error(`--only takes one of ${[...parts.keys()].join(', ')}`);

const rows: Row[] = [];
for (const [name, measure] of parts) {
  if (only !== undefined && name !== only) continue;
  console.error(`measuring ${name}`);
  rows.push(...(await measure()));
}
await server.stop();

const verdict = (row: Row) => (row.holds === undefined ? '' : row.holds ? 'yes' : '**no**');
const table = [
  '| what | measured | bound | holds |',
  '|---|---|---|---|',
  ...rows.map((row) => `| ${row.what} | ${row.measured} | ${row.bound ?? ''} | ${verdict(row)} |`),
].join('\n');
console.log(table);

if (!short && only === undefined) {
  const model = cpus()[0]?.model.trim() ?? 'unknown processor';
  const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim();
  const command = `${bench.peer === undefined ? '' : 'FISK_PEER=… '}npm run bench`;
  writeFileSync(
    join(import.meta.dirname, 'RESULTS.md'),
    [
      '# Results of the benchmarks',
      '',
      `Made by \`${command}\` at commit ${commit}, on ${cpus().length} cores (${model}), Node.js ${process.version}.`,
      'Load, NATS server and daemon share those cores. Everything in one run: the contestants take turns, and what is shown',
      'is the middle of all rounds. Compare numbers of one run only.',
      '',
      table,
      '',
    ].join('\n'),
  );
}
const failed = rows.filter((row) => row.holds === false);
// A client or a timer of a part may still hold the loop; the measuring is over.
process.exit(!short && failed.length > 0 ? 1 : 0);
