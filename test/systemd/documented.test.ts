import assert from 'node:assert/strict';
import { copyFileSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { packArchive } from '../support/archive.ts';
import { fisk } from '../support/fisk.ts';
import { startNatsServer } from '../support/nats-server.ts';
import { projectDir } from '../support/source.ts';
import { bootMachine, withoutMachine } from './support/machine.ts';

const skip = (await withoutMachine()) ?? false;
const page = readFileSync(join(projectDir, 'docs/deploy.md'), 'utf8');
const [beforeContainers = ''] = page.split('## Container');
const blocks = (text: string, language: string) =>
  [...text.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, 'gm'))].map(([, block = '']) => block);

test('every drop-in is in the table, and every one in the table is shipped', () => {
  const shipped = readdirSync(join(projectDir, 'systemd')).filter((name) => name.endsWith('.conf'));
  const [, other = ''] = /One more is for the daemon: `([\w-]+\.conf)`/.exec(page) ?? [];
  const listed = [...page.matchAll(/^\| `([\w-]+\.conf)` \|/gm)].map(([, name = '']) => name);
  assert.deepEqual([...listed, other].sort(), shipped.sort());
});

test('every command for systemd works as it is written, from the archive to the end', { skip }, async (t) => {
  const server = await startNatsServer();
  t.after(() => server.stop());
  const machine = await bootMachine({ packaged: false });
  t.after(() => machine.stop());
  const [yaml = ''] = blocks(beforeContainers, 'yaml');
  machine.write('/srv/warehouse.yaml', yaml);
  machine.write('/srv/warehouse.context.json', JSON.stringify({ url: server.url }));
  machine.write('/usr/local/bin/warehouse', '#!/bin/sh\nexec /usr/local/lib/lab/lab.sh "$@"\n');
  await machine.exec('chmod', '755', '/usr/local/bin/warehouse');
  const archive = await packArchive();
  copyFileSync(archive, machine.outside('/srv/fisk-0.0.0.tgz'));

  const [packing = '', ...commands] = blocks(beforeContainers, 'sh');
  assert.equal(packing, 'npm ci\nnpm pack\n');
  let output = '';
  for (const block of commands) {
    const { code, stdout, stderr } = await machine.exec('sh', '-ec', `cd /srv; hash -r\n${block}`);
    assert.equal(code, 0, `${block}\n${stdout}${stderr}\n${await machine.journal('fisk@warehouse')}`);
    output += stdout;
    if (!block.includes('enable --now')) continue;
    const called = await fisk(['call', 'warehouse', 'echo', 'words:=["a b"]', '--server', server.url]);
    assert.equal(called.stdout, '[a b]\n');
    const rated = await machine.exec('systemd-analyze', '--no-pager', 'security', 'fisk@warehouse');
    assert.match(rated.stdout, /Overall exposure level for fisk@warehouse.service: 1\.3/);
  }
  assert.match(output, /Status: "ready: /);
  assert.match(output, /the daemon is ready/);
  assert.match(output, /"ready":true/);
  assert.equal((await machine.show('fisk@warehouse', 'ActiveState')).get('ActiveState'), 'inactive');
});
