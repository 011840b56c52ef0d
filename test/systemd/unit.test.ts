import assert from 'node:assert/strict';
import { copyFileSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { run } from '../support/run.ts';
import { projectDir } from '../support/source.ts';
import { tempDir, tempFile } from '../support/tmp.ts';

const shipped = join(projectDir, 'systemd');
const unit = readFileSync(join(shipped, 'fisk@.service'), 'utf8');
const dropIns = readdirSync(shipped).filter((name) => name.endsWith('.conf'));
const skip = existsSync('/usr/bin/systemd-analyze') ? false : 'no systemd-analyze here: install Debian’s systemd';

/** The unit with a program that is here, in a folder of its own, with those drop-ins. */
function copy(...names: string[]): string {
  const dir = tempDir();
  const path = tempFile('fisk@.service', unit.replace('/usr/local/bin/fisk', process.execPath), dir);
  const beside = join(dir, 'fisk@.service.d');
  for (const name of names) copyFileSync(join(shipped, name), tempFile(name, '', beside));
  return path;
}

async function analyze(path: string, ...args: string[]): Promise<string> {
  const SYSTEMD_UNIT_PATH = `${path.replace(/\/[^/]*$/, '')}:`;
  const { code, stdout, stderr } = await run('systemd-analyze', [...args, path], {
    env: { ...process.env, SYSTEMD_UNIT_PATH },
  });
  assert.equal(code, 0, `${args[0]}: ${stdout.split('\n').at(-2)}${stderr}`);
  return stdout + stderr;
}

/** What is left open, times ten: 0 nothing, 100 everything. */
const security = (tenths: number) => ['security', '--offline=yes', '--no-pager', `--threshold=${tenths}`];

test('the unit is valid, and exposes no more than 1.3', { skip }, async () => {
  assert.equal(await analyze(copy(), 'verify'), '');
  await analyze(copy(), ...security(13));
  await assert.rejects(analyze(copy(), ...security(12)), 'the threshold is looked at');
});

test('what systemd does about a daemon that ends or stands still is what the page says', () => {
  const [, page = ''] = readFileSync(join(projectDir, 'docs/deploy.md'), 'utf8').split('### When it is restarted');
  const setting = (name: string) => new RegExp(`^${name}=(.*)$`, 'm').exec(unit)?.[1] ?? '';
  const seconds = (name: string) => Number(/^(\d+)s$/.exec(setting(name))?.[1]);
  assert.equal(setting('Restart'), 'on-failure');
  assert.match(page, new RegExp(`starts it again after ${seconds('RestartSec')} s`));
  assert.match(page, new RegExp(`stands still for ${seconds('WatchdogSec')} s`));
  assert.match(page, new RegExp(`more than the usual ${seconds('TimeoutStopSec')} s`));
  // A start that fails at once comes again after the pause: so many of them are five minutes, and less than the interval.
  const [burst, interval] = [Number(setting('StartLimitBurst')), setting('StartLimitIntervalSec')];
  assert.equal(burst * seconds('RestartSec'), 5 * 60);
  assert.match(page, /cannot be started for about five minutes/);
  assert.equal(interval, '15min');
});

test('every drop-in is valid, says why it is there, and loosens little', { skip }, async () => {
  assert.ok(dropIns.length >= 10);
  for (const name of dropIns) {
    assert.match(readFileSync(join(shipped, name), 'utf8'), /^# For commands|^# For a NATS/, name);
    const path = copy(name);
    assert.equal(await analyze(path, 'verify'), '', name);
    await analyze(path, ...security(21));
  }
});
