import assert from 'node:assert/strict';
import { test } from 'node:test';
import { childEnvironment, runCommand } from '../../src/process/index.ts';
import { monotonicMs } from '../../src/process/timer.ts';
import { fixture } from '../support/tmp.ts';

async function environmentOf(base: NodeJS.ProcessEnv, remove: string[], path = fixture('env.sh'), cwd?: string) {
  const environment = childEnvironment({ base, remove });
  const { output } = await runCommand({ path, args: [], environment, cwd });
  return new Map(output.split('\n').map((line) => line.split('=', 2) as [string, string]));
}

test('a command gets everything but credentials and what the supervisor gave to the daemon alone', async () => {
  const seen = await environmentOf(
    {
      NOTIFY_SOCKET: '/run/x',
      WATCHDOG_USEC: '1000',
      WATCHDOG_PID: '1',
      LISTEN_PID: '1',
      LISTEN_FDS: '1',
      LISTEN_FDNAMES: 'a',
      CREDENTIALS_DIRECTORY: '/run/credentials',
      INVOCATION_ID: 'abc',
      JOURNAL_STREAM: '8:1',
      ANTHROPIC_API_KEY: 'k',
      OTHER: 'kept',
      PATH: '/usr/bin:/bin',
      HOME: '/home/op',
    },
    ['ANTHROPIC_API_KEY'],
  );
  assert.equal(seen.get('PATH'), '/usr/bin:/bin');
  assert.equal(seen.get('HOME'), '/home/op');
  assert.equal(seen.get('OTHER'), 'kept');
  assert.equal(seen.get('INVOCATION_ID'), 'abc');
  assert.equal(seen.get('JOURNAL_STREAM'), '8:1');
  assert.equal(seen.get('LLMFORMAT'), '1');
  assert.equal(seen.get('FISK_AI'), '1');
  assert.match(seen.get('FISK_CALL') ?? '', /^\d+\.\d+\.[0-9a-f-]{36}\.0$/);
  for (const name of seen.keys()) {
    assert.doesNotMatch(name, /NOTIFY|WATCHDOG|LISTEN|CREDENTIALS|ANTHROPIC/);
  }
});

test('inherited values of the variables that mark a program as reader are overridden', async () => {
  const seen = await environmentOf({ PATH: '/usr/bin:/bin', LLMFORMAT: '0', FISK_AI: 'no', FISK_CALL: 'other' }, []);
  assert.equal(seen.get('LLMFORMAT'), '1');
  assert.equal(seen.get('FISK_AI'), '1');
});

test('PWD is the working directory of the command, and the inherited one for a command without its own', async () => {
  // Not through a shell, which would set the variable itself.
  const seen = (cwd?: string) => environmentOf({ PATH: '/usr/bin:/bin', PWD: '/elsewhere' }, [], '/usr/bin/env', cwd);
  assert.equal((await seen('/usr')).get('PWD'), '/usr');
  assert.equal((await seen()).get('PWD'), '/elsewhere');
  assert.equal((await environmentOf({ PATH: '/usr/bin:/bin' }, [], '/usr/bin/env')).has('PWD'), false);
});

test('no variable comes twice, not even the mark of a call that runs this process', async () => {
  const base = { PATH: '/usr/bin:/bin', PWD: '/elsewhere', FISK_CALL: 'outer', LLMFORMAT: '0' };
  const environment = childEnvironment({ base, remove: [] });
  const { output } = await runCommand({ path: '/usr/bin/env', args: [], environment, cwd: '/usr' });
  const names = output
    .trimEnd()
    .split('\n')
    .map((line) => line.split('=')[0]);
  assert.deepEqual(names.sort(), ['FISK_AI', 'FISK_CALL', 'LLMFORMAT', 'PATH', 'PWD']);
});

test('every call has a mark of its own, with the deadline in it', async () => {
  const environment = childEnvironment({ base: { PATH: '/usr/bin:/bin' }, remove: [] });
  const marks = new Set<string>();
  const before = monotonicMs();
  for (let call = 0; call < 3; call++) {
    const { output } = await runCommand({ path: fixture('env.sh'), args: [], environment, timeoutMs: 60_000 });
    const mark = /^FISK_CALL=(.*)$/m.exec(output)?.[1] ?? '';
    const deadline = Number(mark.split('.')[3]);
    assert.ok(deadline >= before + 60_000 && deadline <= monotonicMs() + 60_000);
    marks.add(mark);
  }
  assert.equal(marks.size, 3);
});

test('a variable with a NUL is refused instead of being cut', () => {
  assert.throws(() => childEnvironment({ base: { BAD: 'a\0b' }, remove: [] }), { code: 'FISK_ARGUMENT_NUL' });
});
