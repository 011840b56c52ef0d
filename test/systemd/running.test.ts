import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { fisk, startFisk } from '../support/fisk.ts';
import { startNatsServer, type TestNatsServer } from '../support/nats-server.ts';
import { tempFile } from '../support/tmp.ts';
import { waitFor } from '../support/wait.ts';
import { bootMachine, type Machine, withoutMachine } from './support/machine.ts';

const skip = (await withoutMachine()) ?? false;
const UNIT = 'fisk@lab.service';
const ACCOUNT = 'authorization { users: [ { user: fisk, password: secret, permissions: { subscribe: "PLACE" } } ] }';
const allowed = (subjects: string) => ACCOUNT.replace('PLACE', subjects);

let server: TestNatsServer;
let machine: Machine;
let url: string;
before(async () => {
  if (skip !== false) return;
  server = await startNatsServer({ config: allowed('>') });
  url = server.url.replace('//', '//fisk:secret@');
  machine = await bootMachine();
  await configure('lab');
  // What takes half a minute in earnest.
  machine.write('/etc/systemd/system/fisk@.service.d/quick.conf', '[Service]\nWatchdogSec=2s\nRestartSec=200ms\n');
});
after(async () => {
  await machine?.stop();
  await server?.stop();
});

/** What an operator writes for an instance. */
async function configure(name: string, toolTimeout = '2m'): Promise<void> {
  const a2a = `{serve_tools: true, tool_timeout: ${toolTimeout}}`;
  machine.write(
    `/etc/fisk/${name}.yaml`,
    `identity: ${name}\napplication_path: /usr/local/lib/lab/lab.sh\nnats_context: ${name}\nexpose: {agent: {a2a: ${a2a}}}\n`,
  );
  const context = { url: server.url, user: 'fisk', password: 'secret' };
  machine.write(`/etc/fisk/${name}.context.json`, JSON.stringify(context));
  await machine.exec('chmod', '600', `/etc/fisk/${name}.context.json`);
}

const call = (...args: string[]) => fisk(['call', 'lab', ...args, '--server', url]);
/** The oldest process of a running sleep. */
const commandPid = async () => (await machine.exec('pgrep', '-o', '-f', 'lab.sh sleep')).stdout.trim() || undefined;
const mainPid = async () => (await machine.show(UNIT, 'MainPID')).get('MainPID') ?? '';
const restarts = async () => Number((await machine.show(UNIT, 'NRestarts')).get('NRestarts'));

/** Does something to the daemon and waits until systemd has another one ready. */
async function replaced(act: () => Promise<unknown>): Promise<void> {
  const before = await restarts();
  await act();
  await waitFor(async () => (await restarts()) > before, { timeout: 15_000, every: 50, what: 'a restart' });
  await machine.becomes(UNIT, 'active');
}

test('nothing of the machine that runs the tests is within reach in there', { skip }, async () => {
  const outside = tempFile('outside', 'kept');
  assert.notEqual((await machine.exec('test', '-e', outside)).code, 0);
  await machine.exec('sh', '-c', 'rm -rf /tmp/* /var/tmp/*');
  assert.equal(readFileSync(outside, 'utf8'), 'kept');
});

test('a start returns when every subscription is confirmed, and the first call is answered', { skip }, async () => {
  await machine.systemctl('start', UNIT);
  const { code, stdout, stderr } = await call('echo', 'words:=["a b"]');
  assert.deepEqual([code, stdout], [0, '[a b]\n'], stderr);
});

test('its status is a line worth reading, and follows what happens', { skip }, async () => {
  // The numbers are renewed every five seconds.
  const shows = (pattern: RegExp) =>
    waitFor(async () => pattern.test(await machine.systemctl('status', UNIT)), {
      timeout: 10_000,
      every: 100,
      what: String(pattern),
    });
  await shows(/Status: "ready: 0 of \d slots in use, 1 call"/);
  const calling = call('sleep', 'seconds=6');
  await shows(/Status: "ready: 1 of \d slots in use/);
  assert.equal((await calling).code, 0);
});

test('a command runs as a user of the instance alone and sees nothing of the supervisor', { skip }, async () => {
  const { stdout } = await call('environment');
  const names = stdout.split('\n').map((line) => line.split('=')[0]);
  for (const name of ['NOTIFY_SOCKET', 'WATCHDOG_USEC', 'WATCHDOG_PID', 'CREDENTIALS_DIRECTORY'])
    assert.ok(!names.includes(name), name);
  assert.ok(names.includes('INVOCATION_ID'));
  assert.match(stdout, /^HOME=\/var\/lib\/fisk\/lab$/m);
  assert.match(stdout, /^XDG_CONFIG_HOME=\/var\/lib\/fisk\/lab\/\.config$/m);
  assert.match(stdout, /^USER=fisk-lab$/m);
});

test('a daemon that stands still is restarted by the watchdog', { skip }, async () => {
  await replaced(async () => machine.exec('kill', '-STOP', await mainPid()));
  assert.match(await machine.journal(UNIT), /Watchdog timeout/);
  assert.equal((await call('echo')).code, 0);
});

test('a daemon that is killed is restarted, and finds the command that it left', { skip }, async () => {
  const calling = await startFisk(['call', 'lab', 'sleep', 'seconds=20', '--server', url]);
  const command = await waitFor(commandPid, { what: 'the command' });
  await replaced(async () => machine.exec('kill', '-KILL', await mainPid()));
  await calling.stop('SIGKILL');
  // From inside the sandbox of the new daemon, as its user: what it needs to end that command at its deadline.
  const look = [
    '-t',
    await mainPid(),
    '-m',
    '-p',
    'setpriv',
    '--reuid=fisk-lab',
    '--regid=fisk-lab',
    '--clear-groups',
    '--no-new-privs',
  ];
  look.push('--bounding-set=-all', '--inh-caps=-all', 'grep', '-az', '^FISK_CALL=', `/proc/${command}/environ`);
  const { code, stderr } = await machine.exec('nsenter', ...look);
  assert.equal(code, 0, stderr);
  await machine.exec('pkill', '-f', 'lab.sh sleep');
});

test('a stop tells the callers, leaves the command to its deadline, and ends well', { skip }, async () => {
  await machine.systemctl('start', UNIT);
  const calling = call('sleep', 'seconds=20', '--json');
  const command = await waitFor(commandPid, { what: 'the command' });
  // As the command sees its files.
  const within = (...words: string[]) => machine.exec('nsenter', '-t', command, '-m', ...words);
  assert.equal((await within('touch', '/tmp/before')).code, 0);
  const began = performance.now();
  await machine.systemctl('stop', UNIT);
  assert.ok(performance.now() - began < 5_000);
  assert.match((await calling).stdout, /"interrupted"/);
  const state = await machine.show(UNIT, 'ActiveState', 'Result', 'ExecMainStatus');
  assert.deepEqual([...state.values()].filter((value) => value !== '').sort(), ['0', 'inactive', 'success']);
  assert.equal(await commandPid(), command, 'the command runs on');
  // What it loses, and what it keeps.
  assert.notEqual((await within('test', '-e', '/tmp/before')).code, 0);
  assert.notEqual((await within('touch', '/tmp/after')).code, 0);
  assert.equal((await within('touch', '/var/lib/fisk/lab/after')).code, 0);
  await machine.exec('pkill', '-f', 'lab.sh sleep');
});

test('a command that is left by a stop is ended at its deadline, and nothing of the unit lives on', {
  skip,
}, async () => {
  const brief = 'fisk@brief.service';
  await configure('brief', '6s');
  await machine.systemctl('start', brief);
  const called = performance.now();
  const calling = fisk(['call', 'brief', 'stubborn', '--server', url]);
  const find = async (pattern: string) => (await machine.exec('pgrep', '-f', pattern)).stdout.trim() || undefined;
  await waitFor(() => find('stubborn.sh'), { what: 'the command' });
  const keeper = `keeper.js --left-by=${(await machine.show(brief, 'MainPID')).get('MainPID')}$`;
  await machine.systemctl('stop', brief);
  assert.match((await calling).stderr, /\[interrupted\]/);
  assert.ok(await find('stubborn.sh'), 'the command outlives the daemon');
  assert.ok(await find(keeper), 'and somebody watches over it');
  assert.match(await machine.journal(brief), /"commands":1,"seconds_left":\[[0-6]\]/);
  // It ignores the first signal, so a second passes before the next.
  await waitFor(async () => (await find('stubborn.sh')) === undefined, {
    timeout: 15_000,
    every: 100,
    what: 'its end',
  });
  assert.ok(performance.now() - called > 5_000, 'not before its deadline');
  await waitFor(async () => (await find(keeper)) === undefined, { every: 100, what: 'the end of the keeper' });
});

test('a fault ends the daemon with its reason, and starts are tried until the reason is gone', { skip }, async () => {
  await machine.systemctl('start', UNIT);
  await replaced(async () => {
    await server.reload(allowed('choria.nothing'));
    await machine.becomes(UNIT, 'activating');
    await server.reload(allowed('>'));
  });
  const lines = await machine.journal(UNIT);
  assert.match(lines, /permission/i);
  assert.match(lines, /Main process exited, code=exited, status=1\/FAILURE/);
  assert.equal((await call('echo')).code, 0);
});

test('the unit is one that a command killed for its memory does not stop', { skip }, async () => {
  assert.equal((await machine.show(UNIT, 'OOMPolicy')).get('OOMPolicy'), 'continue');
});

test('a second instance is another user', { skip }, async () => {
  await configure('other');
  await machine.systemctl('start', 'fisk@other.service');
  const { stdout } = await fisk(['call', 'other', 'environment', '--server', url]);
  assert.match(stdout, /^USER=fisk-other$/m);
  await machine.systemctl('stop', 'fisk@other.service');
});
