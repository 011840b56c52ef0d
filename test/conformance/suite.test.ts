import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { conformanceSuite } from '../../scripts/mcp-tools.ts';
import { startMcpDaemon } from '../support/mcp-daemon.ts';
import { run } from '../support/run.ts';
import { tempDir } from '../support/tmp.ts';
import { differences, type Expected, type Found, failedChecks, readFound } from './verdict.ts';

const suite = conformanceSuite();
const options = { concurrency: true, skip: suite === undefined && 'not run: the suite could not be installed' };
const expected: Record<'active' | '2026-07-28', Expected> = JSON.parse(
  readFileSync(join(import.meta.dirname, 'expected-failures.json'), 'utf8'),
);

/** Lets the suite loose on a server of its own. */
async function meet(t: TestContext, ...flags: string[]): Promise<Found> {
  const { running, url } = await startMcpDaemon({
    identity: 'conformance',
    application: join(import.meta.dirname, 'application.sh'),
    mcp: 'tool_timeout: 60s, max_concurrent_tools: 8',
  });
  t.after(() => running.stop());
  const results = tempDir();
  const args = [suite ?? '', 'server', '--url', url, '--timeout', '60000', '--output-dir', results, ...flags];
  const { stdout } = await run(process.execPath, args, { timeout: 170_000 });
  const found = readFound(results);
  // One that the suite could not even begin leaves no folder.
  const begun = stdout.match(/^=== Running scenario: /gm)?.length ?? 0;
  assert.ok(begun > 0 && found.size === begun, `${found.size} of ${begun} scenarios left a result:\n${stdout}`);
  return found;
}

function passes(found: Found, scenarios: readonly string[]): void {
  for (const scenario of scenarios) {
    const checks = found.get(scenario) ?? [];
    assert.ok(
      checks.some(({ status }) => status === 'SUCCESS'),
      `${scenario} has no check that passes`,
    );
    assert.deepEqual(failedChecks(checks), [], scenario);
  }
}

test('the conformance suite', options, async (t) => {
  await Promise.all([
    t.test('its active scenarios fail where they are listed, and nowhere else', async (t) => {
      const found = await meet(t, '--suite', 'active');
      assert.deepEqual(differences(found, expected.active), []);
      passes(found, [
        'server-initialize',
        'server-session-lifecycle',
        'ping',
        'tools-list',
        'tools-call-simple-text',
        'server-sse-multiple-streams',
        'dns-rebinding-protection',
      ]);
    }),
    t.test('so do those that 2026-07-28 requires, with what it runs beside them', async (t) => {
      const found = await meet(t, '--requirements', '2026-07-28');
      assert.deepEqual(differences(found, expected['2026-07-28']), []);
      passes(found, [
        'tools-list',
        'tools-call-simple-text',
        'server-sse-multiple-streams',
        'dns-rebinding-protection',
        'http-header-validation',
        'input-required-result-missing-input-response',
        'input-required-result-unsupported-methods',
        'input-required-result-ignore-extra-params',
        'input-required-result-validate-input',
      ]);
    }),
  ]);
});

test('a failure that is not listed and a listed one that passes are both told', () => {
  const found: Found = new Map([
    ['whole', [{ id: 'a', status: 'FAILURE' }]],
    ['fixed', [{ id: 'a', status: 'SUCCESS' }]],
    [
      'partly',
      [
        { id: 'a', status: 'FAILURE', errorMessage: 'why' },
        { id: 'b', status: 'FAILURE' },
        { id: 'c', status: 'WARNING' },
      ],
    ],
  ]);
  const listed = { whole: 'reason', fixed: 'reason', partly: { b: 'reason', c: 'reason' }, gone: 'reason' };
  assert.deepEqual(differences(found, listed), [
    'partly: a fails and is not listed: why',
    'fixed is listed and does not fail',
    'partly: c is listed and does not fail',
    'gone is listed and does not fail',
  ]);
  assert.deepEqual(differences(found, { whole: 'reason', partly: { a: 'reason', b: 'reason' } }), []);
});

test('every expected failure has a reason', () => {
  const reasons = Object.values(expected).flatMap((scenarios) =>
    Object.values(scenarios).flatMap((entry) => (typeof entry === 'string' ? [entry] : Object.values(entry))),
  );
  assert.ok(reasons.length > 0);
  for (const reason of reasons) assert.match(reason, /^[A-Z].{15,}\.$/);
});
