import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { run } from '../support/run.ts';
import { fixture, tempDir } from '../support/tmp.ts';

const program = join(import.meta.dirname, 'programs', 'starts-commands.ts');

test('two hundred fresh processes each start their first command', async () => {
  // What they load is compiled once for all of them: they are about the start of a command, not of Node.
  const env = { ...process.env, NODE_COMPILE_CACHE: tempDir() };
  let left = 200;
  const worker = async (): Promise<void> => {
    while (left-- > 0) {
      const { code, stdout, stderr } = await run(process.execPath, [program, '1'], { env });
      assert.deepEqual({ code, stdout }, { code: 0, stdout: 'ok\n' }, stderr);
    }
  };
  await Promise.all([worker(), worker(), worker()]);
});

test('without a descriptor left a call fails by name, and works again once there is one', async () => {
  const { stdout, stderr } = await run('prlimit', ['--nofile=32:32', process.execPath, program, 'descriptors']);
  assert.equal(stdout, 'FISK_NO_DESCRIPTORS\nok\n', stderr);
});

// Root has no such limit, so another user runs it, who may read this place as root does. Anybody else has too many
// processes already, and cannot become another user.
const rootOnly = process.getuid?.() === 0 ? false : 'only root can run it as somebody without processes';
test('without a process left a call fails by name, and the caller lives', { skip: rootOnly }, async () => {
  const { stdout, stderr } = await run('setpriv', [
    '--reuid=65534',
    '--clear-groups',
    '--inh-caps=+dac_override',
    '--ambient-caps=+dac_override',
    'prlimit',
    '--nproc=24:24',
    process.execPath,
    program,
    'processes',
  ]);
  assert.equal(stdout, 'FISK_NO_PROCESSES\nok\n', stderr);
});

test('a command gets three descriptors, and not even one that this process was given by whoever started it', async () => {
  // A high number, since Node marks the low ones as not to be inherited when it starts.
  const inheriting = 'exec 99</dev/null; exec "$0" "$@"';
  const { stdout, stderr } = await run('bash', ['-c', inheriting, process.execPath, program, 'shown']);
  // The fourth is what lists them.
  assert.deepEqual(stdout.match(/ (\d+) -> /g), [' 0 -> ', ' 1 -> ', ' 2 -> ', ' 3 -> '], stderr);
});

test('a command ends at its deadline although no descriptor is left to look at its processes with', async () => {
  const args = ['--nofile=40:40', process.execPath, program, 'deadline', fixture('stubborn.sh')];
  const { stdout, stderr } = await run('prlimit', args);
  assert.equal(stdout, 'FISK_COMMAND_TIMEOUT true\ngone\n', stderr);
});
