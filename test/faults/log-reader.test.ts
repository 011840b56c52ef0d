import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { Crowd, endsOf } from '../support/crowd.ts';
import { fiskEntry } from '../support/fisk.ts';
import { testLastWords } from '../support/last-words.ts';
import { startNatsServer } from '../support/nats-server.ts';
import { spawnOwned } from '../support/run.ts';
import { fixture, tempDir, tempFile } from '../support/tmp.ts';
import { isAlive, waitFor } from '../support/wait.ts';

// A change does not wait for all fifty of each.
testLastWords(process.env['CI'] === undefined ? 50 : 10);

/** Serves with standard error as the shell is told, and gives callers and what became of the daemon. */
async function served(t: TestContext, redirection: string) {
  const nats = await startNatsServer();
  const [dir, config] = [
    tempDir(),
    tempFile(
      'agent.yaml',
      `identity: lab\napplication_path: ${fixture('lab.sh')}\nexpose: { agent: { a2a: { serve_tools: true, max_concurrent_tools: 4 } } }\n`,
    ),
  ];
  const [pidFile, codeFile] = [join(dir, 'pid'), join(dir, 'code')];
  const daemon = `sh -c 'echo $$ >"${pidFile}"; exec "$0" "$@"' "$@"`;
  const script = `set -o pipefail; ( ${daemon}; echo $? >"${codeFile}" ) ${redirection}`;
  const args = [fiskEntry, 'serve', '--dev', '--server', nats.url, '--log-format', 'json', '--config', config];
  const shell = spawnOwned('bash', ['-c', script, 'bash', process.execPath, ...args], {
    stdio: 'ignore',
    detached: true,
  });
  const crowd = await Crowd.connect(nats.url, 'lab');
  const read = (file: string) => (existsSync(file) && readFileSync(file, 'utf8').trim()) || undefined;
  const pid = Number(await waitFor(() => read(pidFile)));
  t.after(async () => {
    if (isAlive(pid)) process.kill(pid, 'SIGKILL');
    // The reader too, which is another process of that group. The shell ends when both have.
    if (shell.exitCode === null && shell.signalCode === null) process.kill(-(shell.pid ?? 0), 'SIGKILL');
    await crowd.close();
    await nats.stop();
  });
  await waitFor(
    async () => {
      const call = crowd.start('echo');
      await crowd.ended(call, 1_000);
      return call.finals.length === 1;
    },
    { timeout: 20_000, every: 100, what: 'the daemon to answer' },
  );
  return {
    crowd,
    pid,
    code: () => waitFor(() => read(codeFile), { timeout: 10_000, what: 'the exit code' }),
  };
}

for (const [what, redirection] of [
  ['goes away after its first line', '2>&1 | head -1'],
  ['never reads', '2>&1 | sleep 600'],
  ['reads a little now and then', '2>&1 | while sleep 0.5 && [ "$(head -c 1000)" ]; do :; done'],
  ['was never there', '2>&-'],
] as const) {
  test(`with a log whose reader ${what} calls are answered, and the daemon leaves in good order`, async (t) => {
    const { crowd, pid, code } = await served(t, redirection);
    const before = crowd.calls.length;
    // More lines than a pipe holds.
    for (let round = 0; round < 100; round++) {
      const calls = Array.from({ length: 4 }, () => crowd.start('echo', { words: ['x'.repeat(200)] }));
      await Promise.all(calls.map((call) => crowd.ended(call, 10_000)));
    }
    assert.deepEqual([...endsOf(crowd.calls.slice(before))], [['ok', 400]]);
    const asked = performance.now();
    process.kill(pid, 'SIGTERM');
    assert.equal(await code(), '0');
    // Both the log and what is said to people get two seconds.
    assert.ok(performance.now() - asked < 9_000);
  });
}
