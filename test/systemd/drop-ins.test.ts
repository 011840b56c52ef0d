import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { projectDir } from '../support/source.ts';
import { bootMachine, type Machine, withoutMachine } from './support/machine.ts';

const skip = (await withoutMachine()) ?? false;
const shipped = join(projectDir, 'systemd');

/** For each drop-in a script that works with it and not without, with the drop-ins that it needs beside it. */
const PROBES = new Map<string, { script: string; with?: string[] }>([
  ['home', { script: 'test "$(cat /home/kept/file)" = kept' }],
  ['files', { script: 'echo new >/srv/files/new && test "$(stat -c %a /srv/files/new)" = 640' }],
  ['fixed-user', { script: 'test "$(id -u)" = 4242' }],
  ['shared-tmp', { script: 'test "$(cat /tmp/kept)" = kept && echo new >/tmp/new', with: ['fixed-user'] }],
  ['devices', { script: 'test -c /dev/ttyUSB0 && id -nG | grep -qw dialout' }],
  ['processes', { script: 'cat /proc/uptime && test -d /proc/1' }],
  ['network-facts', { script: 'exec node -e "os.networkInterfaces()"' }],
  ['network-tools', { script: 'test "$(sed -n "s/^CapEff:\\t0*//p" /proc/self/status)" = 2000' }],
  ['namespaces', { script: 'unshare --user --map-root-user --mount --net --pid --ipc --fork true' }],
  ['priorities', { script: 'taskset 1 true && nice -n 5 sh -c "test \\"\\$(nice)\\" = 5"' }],
  ['nats-secret', { script: 'test "$(cat "$CREDENTIALS_DIRECTORY/nats-secret")" = secret' }],
]);

let machine: Machine;
before(async () => {
  if (skip !== false) return;
  machine = await bootMachine();
  // The sandbox of the unit around a script in place of the daemon.
  const probe = readFileSync(join(shipped, 'fisk@.service'), 'utf8')
    .replace('Type=notify', 'Type=oneshot')
    .replace(/^(?:Restart|WatchdogSec).*\n/gm, '')
    .replace(/^ExecStart=.*$/m, 'ExecStart=/bin/sh /etc/fisk/%i.sh');
  assert.match(probe, /^ExecStart=\/bin\/sh/m);
  machine.write('/etc/systemd/system/probe@.service', probe);
  for (const file of ['/home/kept/file', '/tmp/kept']) machine.write(file, 'kept\n');
  await machine.exec('mknod', '/dev/ttyUSB0', 'c', '188', '0');
  await machine.exec('useradd', '--system', '--uid', '4242', 'fixed-user');
  await machine.exec('useradd', '--system', 'shared-tmp');
  await machine.exec('groupadd', '--system', 'files');
  await machine.exec('install', '-d', '-g', 'files', '-m', '2770', '/srv/files');
  await machine.exec('chmod', '755', '/home/kept');
});
after(() => machine?.stop());

test('there is a probe for every drop-in', () => {
  const names = readdirSync(shipped).filter((name) => name.endsWith('.conf'));
  assert.deepEqual(names.sort(), [...PROBES.keys()].map((name) => `${name}.conf`).sort());
});

for (const [name, { script, with: others = [] }] of PROBES) {
  test(`a command that needs ${name}.conf works with it and not without`, { skip }, async () => {
    const unit = `probe@${name}.service`;
    machine.write(`/etc/fisk/${name}.sh`, `${script}\n`);
    machine.write(`/etc/fisk/${name}.context.json`, '{}');
    machine.write(`/etc/fisk/${name}.secret`, 'secret\n');
    const runs = async (...dropIns: string[]) => {
      for (const dropIn of dropIns) {
        const text = readFileSync(join(shipped, `${dropIn}.conf`), 'utf8');
        machine.write(`/etc/systemd/system/${unit}.d/${dropIn}.conf`, text);
      }
      await machine.systemctl('daemon-reload');
      const { code } = await machine.exec('systemctl', 'start', unit);
      return code === 0;
    };
    const withoutIt = await runs(...others);
    const found = await machine.show(unit, 'Result', 'ExecMainStatus');
    assert.equal(withoutIt, false);
    // It is the script that failed, not what systemd does before it (numbers from 200).
    assert.equal(found.get('Result'), 'exit-code');
    assert.ok(Number(found.get('ExecMainStatus')) < 200, await machine.journal(unit));
    assert.equal(await runs(name), true, await machine.journal(unit));
  });
}
