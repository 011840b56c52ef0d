import assert from 'node:assert/strict';
import { existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { connect as dial } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { findNatsServer } from '../../scripts/nats-server.ts';
import { startDevServer } from '../../src/cli/dev-server.ts';
import { DevServerError } from '../../src/errors.ts';
import { spawnOwned } from '../support/run.ts';
import { tempDir } from '../support/tmp.ts';
import { waitFor, waitGone } from '../support/wait.ts';

const ages = (['2.9', 'current'] as const).filter((age) => findNatsServer(age) !== undefined);
const program = (age: '2.9' | 'current') => findNatsServer(age) ?? '';

function greets(url: string): Promise<boolean> {
  return new Promise((resolve) => {
    const { hostname, port } = new URL(url);
    const socket = dial({ host: hostname, port: Number(port) });
    socket.on('error', () => {});
    // A server that goes away at this moment may close without a word.
    socket.once('close', () => resolve(false));
    socket.once('data', (chunk) => {
      socket.destroy();
      resolve(chunk.toString().startsWith('INFO '));
    });
  });
}

for (const age of ages) {
  test(`a private server ${age} takes connections on the loopback address and is gone after stop`, async () => {
    const server = await startDevServer({ ...process.env, FISK_NATS_SERVER: program(age) });
    assert.match(server.url, /^nats:\/\/127\.0\.0\.1:\d+$/);
    assert.equal(await greets(server.url), true);
    await server.stop();
    await server.exited;
    assert.equal(await greets(server.url), false);
  });

  test(`a private server ${age} does not outlive a process that is killed`, async () => {
    const script = `
      import { startDevServer } from ${JSON.stringify(join(import.meta.dirname, '../../src/cli/dev-server.ts'))};
      const server = await startDevServer(process.env);
      console.log(server.url);
    `;
    const env = { ...process.env, FISK_NATS_SERVER: program(age) };
    const child = spawnOwned(process.execPath, ['--input-type=module', '-e', script], {
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let output = '';
    child.stdout?.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
    await waitFor(() => output.endsWith('\n'), { what: 'the server to come up' });
    child.kill('SIGKILL');
    await waitGone(child.pid ?? 0);
    await waitFor(async () => !(await greets(output.trim())), { what: 'the server to go' });
  });
}

test('where nothing can tie the server to us it is started all the same', async () => {
  const dir = tempDir();
  writeFileSync(join(dir, 'setpriv'), '#!/bin/sh\necho usage >&2\nexit 1\n', { mode: 0o755 });
  for (const path of ['/nowhere', dir]) {
    const server = await startDevServer({ PATH: path, FISK_NATS_SERVER: program(ages[0] ?? 'current') });
    assert.equal(await greets(server.url), true);
    await server.stop();
  }
});

test('the first nats-server on PATH is used', async () => {
  const dir = tempDir();
  symlinkSync(program(ages[0] ?? 'current'), join(dir, 'nats-server'));
  const env = { ...process.env, PATH: `/nowhere:${dir}` };
  delete (env as NodeJS.ProcessEnv)['FISK_NATS_SERVER'];
  const server = await startDevServer(env);
  assert.equal(await greets(server.url), true);
  await server.stop();
});

test('without a server to start the error says so and what to do', async () => {
  await assert.rejects(startDevServer({ PATH: '/nowhere' }), DevServerError);
  await assert.rejects(
    startDevServer({ FISK_NATS_SERVER: '/nowhere/nats-server' }),
    /FISK_NATS_SERVER names \/nowhere/,
  );
});

test('a server that ends at once or cannot run is reported with what it said', async () => {
  const path = join(tempDir(), 'nats-server');
  writeFileSync(path, '#!/bin/sh\necho "no such flag" >&2\nexit 2\n', { mode: 0o755 });
  await assert.rejects(startDevServer({ FISK_NATS_SERVER: path }), (error: Error) => {
    assert.ok(error instanceof DevServerError);
    assert.match(error.message, /ended at once:\nno such flag/);
    return true;
  });
});

test('a signal while the server starts ends it at once', async () => {
  const dir = tempDir();
  const [path, mark] = [join(dir, 'nats-server'), join(dir, 'pid')];
  writeFileSync(path, `#!/bin/sh\necho $$ > ${mark}.new && mv ${mark}.new ${mark}\nexec sleep 60\n`, { mode: 0o755 });
  const stop = new AbortController();
  const starting = assert.rejects(startDevServer({ ...process.env, FISK_NATS_SERVER: path }, stop.signal), {
    message: 'enough',
  });
  const pid = await waitFor(() => existsSync(mark) && Number(readFileSync(mark, 'utf8')));
  const asked = performance.now();
  stop.abort(new Error('enough'));
  await starting;
  assert.ok(performance.now() - asked < 4_000);
  await waitGone(pid);
});
