import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { parse } from 'yaml';
import { withMetrics } from '../scripts/metrics-reference.ts';
import { replyCodes } from '../src/cli/reply-codes.ts';
import { exitCodeOf } from '../src/cli/signals.ts';
import { errorList } from '../src/errors.ts';
import { Tally } from '../src/observe/index.ts';
import { metricsOf } from '../src/observe/monitor/metrics.ts';
import { promtool, withoutPromtool } from './support/promtool.ts';
import { projectDir, sourceFiles } from './support/source.ts';
import { tempFile } from './support/tmp.ts';

const read = (path: string) => readFileSync(join(projectDir, path), 'utf8');
const page = read('docs/operations.md');

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly annotations: { readonly runbook: string };
}
interface Panel {
  readonly title: string;
  readonly targets?: { readonly expr: string }[];
}
const rules: Rule[] = parse(read('monitoring/alerts.yaml')).groups.flatMap((group: { rules: Rule[] }) => group.rules);
const { panels } = JSON.parse(read('monitoring/dashboard.json')) as { panels: Panel[] };
const charted = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));

/** The names in an expression that are metrics of ours or of the process. */
const metricsIn = (expr: string) =>
  [...expr.matchAll(/\b(?:fisk|process|nodejs)_[a-z_]+/g)].map(([name]) => name.replace(/_(bucket|sum|count)$/, ''));

test('the table of metrics is exactly what a scraper gets', async () => {
  assert.equal(page, await withMetrics(page), 'run "npm run docs"');
  const offered = await metricsOf(new Tally('x', '1')).metrics();
  const types = [...offered.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name, type]) => `${name} ${type}`);
  const listed = [...page.matchAll(/^\| `((?:fisk|process|nodejs)_\w+)` \| (\w+) \|/gm)].map(
    ([, name, type]) => `${name} ${type}`,
  );
  assert.deepEqual(listed.sort(), types.sort());
  assert.ok(types.length > 25);
});

test('alerts and dashboard ask for metrics that exist, and the dashboard shows all of ours', async () => {
  const offered = await metricsOf(new Tally('x', '1')).metrics();
  const names = new Set([...offered.matchAll(/^# TYPE (\S+)/gm)].map(([, name = '']) => name));
  for (const expr of [...rules.map((rule) => rule.expr), ...charted])
    for (const name of metricsIn(expr)) assert.ok(names.has(name), `${name} in ${expr}`);
  const shown = new Set(charted.flatMap(metricsIn));
  // Those that only matter beside an alert.
  const hidden = ['fisk_drain_duration_seconds', 'fisk_log_lines_dropped_total'];
  const missing = [...names].filter((name) => name.startsWith('fisk_') && !shown.has(name) && !hidden.includes(name));
  assert.deepEqual(missing, []);
});

test('every alert has its paragraph under its own name, and every paragraph its alert', () => {
  const [, runbook = ''] = page.split('### What to do about an alert');
  const paragraphs = [...runbook.matchAll(/^#### (\w+)\n\n(?=\S)/gm)].map(([, name]) => name);
  assert.deepEqual(paragraphs.sort(), rules.map(({ alert }) => alert).sort());
  for (const { alert, annotations } of rules)
    assert.equal(annotations.runbook, `docs/operations.md#${alert.toLowerCase()}`);
});

test('the alerts are valid, and each is raised when it should and not when it should not', {
  skip: withoutPromtool,
}, async () => {
  const checked = await promtool(['check', 'rules', join(projectDir, 'monitoring', 'alerts.yaml')]);
  assert.equal(checked.code, 0, checked.stdout + checked.stderr);
  const tested = await promtool(['test', 'rules', join(projectDir, 'monitoring', 'alerts.test.yaml')]);
  assert.equal(tested.code, 0, tested.stdout + tested.stderr);
  const cases = parse(read('monitoring/alerts.test.yaml')).tests as { name: string }[];
  for (const { alert } of rules)
    for (const what of ['is raised', 'is not raised'])
      assert.ok(
        cases.some(({ name }) => name === `${alert} ${what}`),
        `${alert} ${what}`,
      );
});

test('every query of the dashboard is one that Prometheus understands', { skip: withoutPromtool }, async () => {
  const records = charted.map((expr, at) => ({
    record: `panel:${at}`,
    expr: expr.replaceAll(/\$__(?:rate_interval|range)/g, '5m'),
  }));
  const file = tempFile('panels.yaml', JSON.stringify({ groups: [{ name: 'panels', rules: records }] }));
  const checked = await promtool(['check', 'rules', file]);
  assert.equal(checked.code, 0, checked.stdout + checked.stderr);
  assert.ok(charted.length > 20);
});

test('every log line that says something is wrong is in the table, with its level, and nothing else is', () => {
  const listed = [...page.matchAll(/^\| `([^`]+ [^`]+)` \| (warn|error) \|/gm)].map(
    ([, msg, level]) => `${level} ${msg}`,
  );
  const written = sourceFiles().flatMap(({ code }) => [
    ...[...code.matchAll(/(?:[lL]og|[sS]torms)\??\.(warn|error)\(([\s\S]*?)\)(?:;|,\n|\)|$)/g)].flatMap(
      ([, level, args = '']) =>
        [...args.matchAll(/'([^'\n]+ [^'\n]+)'/g)].slice(-1).map(([, msg]) => `${level} ${msg}`),
    ),
    ...[...code.matchAll(/msg: '([^']+)'/g)].map(([, msg]) => `warn ${msg}`),
  ]);
  assert.deepEqual([...new Set(listed)].sort(), [...new Set(written)].sort());
});

test('the exit codes of a call are exactly those that something in the program ends with', () => {
  const codes = [...errorList, ...replyCodes.values()].map(({ exitCode }) => exitCode);
  const own = new Set([...codes, exitCodeOf('SIGINT'), exitCodeOf('SIGTERM')]);
  const listed = [...page.matchAll(/^\| ([\d, ]+) \| `call` \|/gm)].flatMap(([, text = '']) =>
    text.split(', ').map(Number),
  );
  assert.deepEqual(
    listed.sort((a, b) => a - b),
    [...own].sort((a, b) => a - b),
  );
});
