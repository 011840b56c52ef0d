/** Writes the table of metrics in docs/operations.md from what a daemon really offers to a scraper. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Tally } from '../src/observe/index.ts';
import { metricsOf } from '../src/observe/monitor/metrics.ts';
import { SERIES } from '../src/observe/monitor/series.ts';
import { projectDir } from './lib/programs.ts';

const PAGE = join(projectDir, 'docs', 'operations.md');
const BEGIN = '<!-- metrics: written by "npm run docs" -->\n';
const END = '<!-- end of metrics -->\n';

/** The table, one row a metric: ours first, then those of the process and of Node. */
export async function metricsReference(): Promise<string> {
  const metrics = await metricsOf(new Tally('name', 'version')).getMetricsAsJSON();
  const rows = metrics.map(({ name, help, type, values }) => {
    const { labels = Object.keys(values?.[0]?.labels ?? {}) } = SERIES.find((series) => series.name === name) ?? {};
    return `| \`${name}\` | ${type} | ${labels.map((label) => `\`${label}\``).join(', ')} | ${help} |`;
  });
  return ['| metric | type | labels | what it tells |', '|---|---|---|---|', ...rows, ''].join('\n');
}

/** The page with that table in its place. */
export async function withMetrics(page: string): Promise<string> {
  const [from, to] = [page.indexOf(BEGIN), page.indexOf(END)];
  if (from < 0 || to < from) throw new Error('docs/operations.md has no place for the metrics');
  return page.slice(0, from) + BEGIN + (await metricsReference()) + page.slice(to);
}

if (import.meta.main) writeFileSync(PAGE, await withMetrics(readFileSync(PAGE, 'utf8')));
