import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { freePort } from '../support/free-port.ts';
import { run } from '../support/run.ts';
import { projectDir } from '../support/source.ts';
import { tempFile } from '../support/tmp.ts';
import { waitFor } from '../support/wait.ts';
import { bootMachine, type Machine, withoutMachine } from './support/machine.ts';

const skip = (await withoutMachine()) ?? false;
const UNIT = 'fisk-mcp@lab.service';
const TOKEN = 'sixteen-or-more-characters';
const read = (name: string) => readFileSync(join(projectDir, 'systemd', name), 'utf8');

let machine: Machine;
let port: number;
before(async () => {
  if (skip !== false) return;
  machine = await bootMachine();
  port = await freePort();
  machine.write(
    '/etc/fisk/lab.yaml',
    'identity: lab\napplication_path: /usr/local/lib/lab/lab.sh\nexpose: {agent: {mcp: ' +
      `{port: ${port}, tool_timeout: 5m, token_env: LAB_TOKEN}}}\n`,
  );
  machine.write('/etc/fisk/lab.mcp.env', `LAB_TOKEN=${TOKEN}\n`);
  await machine.exec('chmod', '600', '/etc/fisk/lab.mcp.env');
  // What takes half a minute in earnest.
  machine.write('/etc/systemd/system/fisk-mcp@.service.d/quick.conf', '[Service]\nWatchdogSec=2s\nRestartSec=200ms\n');
});
after(() => machine?.stop());

/** Calls a tool as a client of its own. The unit shares the network of this machine. */
async function call(name: string, args: Record<string, unknown> = {}, options: { timeout?: number } = {}) {
  const client = new Client({ name: 'test', version: '1' });
  const headers = { Authorization: `Bearer ${TOKEN}` };
  const url = new URL(`http://127.0.0.1:${port}/`);
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));
  try {
    const result = await client.callTool({ name, arguments: args }, options);
    return { isError: result.isError === true, text: JSON.stringify(result.content), meta: result._meta };
  } finally {
    await client.close();
  }
}
/** Processes of the command that sleeps. */
const sleepers = async () => (await machine.exec('pgrep', '-f', 'lab.sh sleep|^sleep ')).stdout.trim();
const mainPid = async () => (await machine.show(UNIT, 'MainPID')).get('MainPID') ?? '';
const restarts = async () => Number((await machine.show(UNIT, 'NRestarts')).get('NRestarts'));

/** Does something to the daemon and waits until systemd has another one ready. */
async function replaced(act: () => Promise<unknown>): Promise<void> {
  const before = await restarts();
  await act();
  await waitFor(async () => (await restarts()) > before, { timeout: 15_000, every: 50, what: 'a restart' });
  await machine.becomes(UNIT, 'active');
}

test('the unit for MCP is valid, and exposes no more than the other one', {
  skip: existsSync('/usr/bin/systemd-analyze') ? false : 'no systemd-analyze here: install Debian’s systemd',
}, async () => {
  const text = read('fisk-mcp@.service').replace('/usr/local/bin/fisk', process.execPath);
  const path = tempFile('fisk-mcp@.service', text);
  const env = { ...process.env, SYSTEMD_UNIT_PATH: `${path.replace(/\/[^/]*$/, '')}:` };
  const analyze = (...args: string[]) => run('systemd-analyze', [...args, path], { env });
  const verified = await analyze('verify');
  assert.deepEqual([verified.code, verified.stdout + verified.stderr], [0, '']);
  const rated = (tenths: number) => analyze('security', '--offline=yes', '--no-pager', `--threshold=${tenths}`);
  assert.equal((await rated(13)).code, 0);
  assert.notEqual((await rated(12)).code, 0, 'the threshold is looked at');
});

test('what it forbids is what the other unit forbids', () => {
  const sandbox = (name: string) => read(name).split('CapabilityBoundingSet=')[1];
  assert.equal(sandbox('fisk-mcp@.service'), sandbox('fisk@.service'));
  assert.match(read('fisk-mcp@.service'), /^KillMode=mixed$/m);
});

test('a start returns when clients are answered, and its status says so', { skip }, async () => {
  await machine.systemctl('start', UNIT);
  const { isError, text } = await call('echo', { words: ['a b'] });
  assert.equal(isError, false);
  assert.match(text, /\[a b\]/);
  assert.match(await machine.systemctl('status', UNIT), /Status: "ready: /);
});

test('a command runs as a user of the instance alone, without the token', { skip }, async () => {
  const { text } = await call('environment');
  assert.match(text, /USER=fisk-mcp-lab/);
  assert.match(text, /HOME=\/var\/lib\/fisk-mcp\/lab/);
  assert.doesNotMatch(text, new RegExp(`${TOKEN}|NOTIFY_SOCKET|LAB_TOKEN`));
});

test('a daemon that stands still is restarted by the watchdog', { skip }, async () => {
  await replaced(async () => machine.exec('kill', '-STOP', await mainPid()));
  assert.match(await machine.journal(UNIT), /Watchdog timeout/);
  assert.equal((await call('echo')).isError, false);
});

test('a daemon that is killed is restarted, and its commands go with it', { skip }, async () => {
  // The client goes on waiting for its answer.
  const calling = call('sleep', { seconds: 120 }, { timeout: 6_000 }).catch(() => undefined);
  await waitFor(async () => (await sleepers()) !== '', { what: 'the command' });
  await replaced(async () => machine.exec('kill', '-KILL', await mainPid()));
  assert.equal(await sleepers(), '');
  await calling;
});

test('a stop ends the running command, answers its call and is no failure', { skip }, async () => {
  const calling = call('sleep', { seconds: 120 });
  await waitFor(async () => (await sleepers()) !== '', { what: 'the command' });
  const [{ isError, meta }] = await Promise.all([calling, machine.systemctl('stop', UNIT)]);
  assert.equal(isError, true);
  assert.equal(meta?.['fisk/code'], 'interrupted');
  assert.equal(await sleepers(), '');
  const end = await machine.show(UNIT, 'ActiveState', 'Result', 'ExecMainStatus');
  assert.deepEqual(
    ['ActiveState', 'Result', 'ExecMainStatus'].map((name) => end.get(name)),
    ['inactive', 'success', '0'],
  );
});

test('a start that fails says why, and is tried again', { skip }, async () => {
  machine.write('/etc/fisk/broken.yaml', 'identity: broken\n');
  const { code } = await machine.exec('systemctl', 'start', 'fisk-mcp@broken');
  assert.notEqual(code, 0);
  assert.equal((await machine.show('fisk-mcp@broken', 'Result')).get('Result'), 'exit-code');
  assert.match(await machine.journal('fisk-mcp@broken'), /no block expose\.agent\.mcp/);
  await waitFor(async () => Number((await machine.show('fisk-mcp@broken', 'NRestarts')).get('NRestarts')) > 0, {
    timeout: 15_000,
    every: 100,
    what: 'another start',
  });
  await machine.systemctl('stop', 'fisk-mcp@broken');
});
