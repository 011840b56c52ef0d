import assert from 'node:assert/strict';
import { chmodSync, copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { Crowd, doubled } from '../support/crowd.ts';
import { startNatsServer } from '../support/nats-server.ts';
import { run } from '../support/run.ts';
import { startServed } from '../support/served.ts';
import { fixture, tempDir } from '../support/tmp.ts';

/** Nobody else's, so that only what is started here counts against its limits. */
const USER = '64917';
const rootOnly = process.getuid?.() === 0 ? false : 'only root can run it as somebody else';

for (const [what, limit, named] of [
  ['descriptor', 'nofile', /no file descriptor is left to start/],
  ['process', 'nproc', /no process or memory is left to start/],
] as const) {
  test(`without a ${what} left every call is answered with that, and works again once there is one`, {
    skip: rootOnly,
  }, async (t) => {
    const nats = await startNatsServer();
    const dir = tempDir();
    chmodSync(dir, 0o755);
    for (const name of ['lab.sh', 'lab.json']) copyFileSync(fixture(name), join(dir, name));
    // Root has no such limit on processes. The other user may read this place as root does; whether a program may be
    // executed is asked without such rights.
    const through = ['setpriv', `--reuid=${USER}`, '--clear-groups'];
    through.push('--inh-caps=+dac_override', '--ambient-caps=+dac_override');
    const daemon = await startServed({ url: nats.url, slots: 4, through, application: join(dir, 'lab.sh') });
    const crowd = await Crowd.connect(nats.url, 'lab');
    t.after(async () => {
      await crowd.close();
      await daemon.stop('SIGKILL');
      await nats.stop();
    });
    const callAll = async (count: number) => {
      const calls = Array.from({ length: count }, () => crowd.start('sleep', { seconds: '0.3' }));
      await crowd.allEnded(10_000);
      return calls.map(({ finals }) => finals[0]);
    };
    const setLimit = async (soft: number) => {
      const as = [`--reuid=${USER}`, '--clear-groups', 'prlimit', '--pid', String(daemon.pid)];
      const { code, stderr } = await run('setpriv', [...as, `--${limit}=${soft}:`]);
      assert.equal(code, 0, stderr);
    };
    for (const final of await callAll(4)) assert.equal(final?.code, 'ok');
    await setLimit(1);
    // More of them than there are slots: each gives back its own.
    for (let round = 0; round < 3; round++) {
      for (const final of await callAll(4)) assert.match(`${final?.code}: ${final?.output}`, named);
    }
    await setLimit(1_024);
    for (const final of await callAll(4)) assert.equal(final?.code, 'ok', final?.output);
    assert.deepEqual(doubled(crowd.calls), []);
    assert.equal((await daemon.stop()).code, 0);
  });
}
