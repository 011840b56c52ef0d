import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connect } from '@nats-io/transport-node';
import { natsServerVersions, startNatsServer } from './nats-server.ts';
import { run, start } from './run.ts';
import { isAlive, waitGone } from './wait.ts';

for (const version of natsServerVersions()) {
  test(`a server ${version} answers, comes back on its port and reads a new configuration`, async () => {
    const server = await startNatsServer({ version });
    const first = await connect({ servers: server.url });
    const told = first.info?.version ?? '';
    assert.equal(told.startsWith('2.9.'), version === '2.9');
    await first.close();

    const old = server.pid;
    await server.restart();
    assert.notEqual(server.pid, old);
    assert.equal(isAlive(old), false);
    const again = await connect({ servers: `nats://127.0.0.1:${server.port}` });
    await again.close();

    await server.reload('authorization: { user: u, password: p }');
    await assert.rejects(connect({ servers: server.url }), /Authorization/i);
    const allowed = await connect({ servers: server.url, user: 'u', pass: 'p' });
    await allowed.close();
    await server.stop();
    assert.equal(isAlive(server.pid), false);
  });
}

test('a configuration that the server refuses fails with what it said', async () => {
  await assert.rejects(startNatsServer({ config: 'no_such_key: 1' }), /no_such_key/);
});

test('a run gives exit code, signal and both streams', async () => {
  const ended = await run('sh', ['-c', 'cat; echo out; echo err >&2; exit 3'], { input: 'in\n' });
  assert.deepEqual(ended, { code: 3, signal: null, stdout: 'in\nout\n', stderr: 'err\n' });
  const killed = await run('sh', ['-c', 'kill -TERM $$']);
  assert.deepEqual([killed.code, killed.signal], [null, 'SIGTERM']);
  await assert.rejects(run('sh', ['-c', 'exec sleep 5'], { timeout: 100 }), /still running after 100 ms/);
  await assert.rejects(run('/nowhere/program', []), /ENOENT/);
});

test('a program that lives on is heard and stopped', async () => {
  const program = await start('sh', ['-c', 'echo ready on 42 >&2; exec sleep 60']);
  const match = await program.printed(/ready on (\d+)/);
  assert.equal(match[1], '42');
  const ended = await program.stop();
  assert.equal(ended.signal, 'SIGTERM');
  await waitGone(program.pid);
  const brief = await start('sh', ['-c', 'echo bye']);
  await assert.rejects(brief.printed(/ready/), /ended without printing/);
});
