import assert from 'node:assert/strict';
import { copyFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { packArchive } from '../support/archive.ts';
import { Crowd, doubled, endsOf } from '../support/crowd.ts';
import { startNatsServer } from '../support/nats-server.ts';
import { projectDir } from '../support/source.ts';
import { bootMachine, withoutMachine } from './support/machine.ts';

const skip = (await withoutMachine()) ?? false;
const page = readFileSync(join(projectDir, 'docs/operations.md'), 'utf8');

test('an upgrade of two members, step by step as the page has it, leaves no call without an answer', {
  skip,
}, async (t) => {
  const [, section = ''] = page.split('### Upgrading');
  const [, steps = ''] = /^```sh\n([\s\S]*?)^```/m.exec(section) ?? [];
  const server = await startNatsServer();
  t.after(() => server.stop());
  const machine = await bootMachine();
  t.after(() => machine.stop());
  for (const member of ['warehouse-1', 'warehouse-2']) {
    const a2a = '{serve_tools: true, max_concurrent_tools: 4}';
    machine.write(
      `/etc/fisk/${member}.yaml`,
      `identity: warehouse\napplication_path: /usr/local/lib/lab/lab.sh\nnats_context: ${member}\nexpose: {agent: {a2a: ${a2a}}}\n`,
    );
    machine.write(`/etc/fisk/${member}.context.json`, JSON.stringify({ url: server.url }));
    await machine.systemctl('start', `fisk@${member}`);
  }
  copyFileSync(await packArchive(), machine.outside('/srv/fisk-next.tgz'));
  const pids = async () => {
    const units = ['fisk@warehouse-1', 'fisk@warehouse-2'];
    return Promise.all(units.map(async (unit) => (await machine.show(unit, 'MainPID')).get('MainPID')));
  };
  const before = await pids();

  const crowd = await Crowd.connect(server.url, 'warehouse');
  t.after(() => crowd.close());
  let over = false;
  const calling = Array.from({ length: 3 }, async () => {
    while (!over) await crowd.ended(crowd.start('sleep', { seconds: '0.3' }), 15_000);
  });
  const { code, stdout, stderr } = await machine.exec('sh', '-ec', `cd /srv\n${steps}`);
  over = true;
  await Promise.all(calling);
  assert.equal(code, 0, stdout + stderr);

  const ends = endsOf(crowd.calls);
  const told = JSON.stringify([...ends]);
  assert.deepEqual(doubled(crowd.calls), []);
  assert.deepEqual(
    [...ends.keys()].filter((end) => !['ok', 'interrupted', 'draining'].includes(end)),
    [],
    told,
  );
  // Three are running at a time, and each member restarts once; one that arrives while a member leaves is sent again.
  assert.ok((ends.get('interrupted') ?? 0) <= 6 && (ends.get('draining') ?? 0) <= 6, told);
  assert.ok((ends.get('ok') ?? 0) > 20, told);
  for (const [index, pid] of (await pids()).entries()) {
    assert.notEqual(pid, before[index]);
    const running = (await machine.exec('cat', `/proc/${pid}/cmdline`)).stdout;
    assert.match(running, /\/usr\/local\/bin\/fisk/);
  }
  const program = (await machine.exec('readlink', '-f', '/usr/local/bin/fisk')).stdout;
  assert.match(program, /^\/opt\/fisk-next\/lib\/node_modules\/fisk\/dist\/main\.js/);
});
