import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { findNatsServer } from '../../scripts/nats-server.ts';
import { depot, fisk, fiskEntry, started } from '../support/fisk.ts';
import { nats, natsCli } from '../support/nats-cli.ts';
import { natsServerVersions, startNatsServer, type TestNatsServer } from '../support/nats-server.ts';
import { run, start } from '../support/run.ts';
import { tempDir, tempFile, tempScript } from '../support/tmp.ts';
import { isAlive, waitFor, waitGone } from '../support/wait.ts';

/** A signal sooner after another one is part of the same wish. */
const NEXT_WISH_MS = 350;

let server: TestNatsServer;
before(async () => {
  server = await startNatsServer();
});
after(() => server.stop());

/** Neither a context nor a server of whoever runs the tests, and a server program for --dev. */
function cleanEnv(more: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
  const { NATS_URL: _, ...env } = process.env;
  return {
    ...env,
    XDG_CONFIG_HOME: tempDir(),
    FISK_NATS_SERVER: findNatsServer('current') ?? findNatsServer('2.9'),
    ...more,
  };
}

function config({ identity = 'depot', application = depot, more = '' } = {}): string {
  const text = `identity: ${identity}\napplication_path: ${application}\nexpose: {agent: {a2a: {serve_tools: true}}}\n${more}`;
  return tempFile('tools.yaml', text);
}

/** The processes that any thread of a process has started. */
function childrenOf(pid: number): number[] {
  return readdirSync(`/proc/${pid}/task`)
    .map((thread) => readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').trim())
    .flatMap((list) => (list === '' ? [] : list.split(' ').map(Number)));
}

test('a daemon prints its banner on stderr alone, answers, and ends on SIGTERM with 0', async (t) => {
  const env = cleanEnv();
  tempFile('nats/context/lab.json', JSON.stringify({ url: server.url }), env['XDG_CONFIG_HOME']);
  const daemon = await started(t, ['serve', '--config', config({ more: 'nats_context: lab\n' })], { env });
  await daemon.printed(/Exposed:/);
  assert.equal((await fisk(['discover', 'depot', '--server', server.url])).code, 0);
  if (natsCli() !== undefined) assert.match((await nats(server.url, 'micro', 'ls')).stdout, /depot/);
  const ended = await daemon.stop('SIGTERM');
  assert.deepEqual([ended.code, ended.signal, ended.stdout], [0, null, '']);
  assert.match(
    ended.stderr,
    new RegExp(
      'Serving depot/devel:\n\n {8}Endpoints: a2a\n {4}Agent Context: lab\n {8}Telemetry: disabled\n\n' +
        ' {2}Serving tools over a2a:\n\n {10}Discovery: choria\\.fisk-ai\\.discovery\\.depot\n' +
        ' {14}Tools: choria\\.fisk-ai\\.tool\\.depot\n {8}Concurrency: \\d\n {7}Tool Timeout: 30s\n' +
        ' {12}Exposed: part_add\n {21}part_ls\n',
    ),
  );
  assert.match(ended.stderr, /^draining: .*interrupt again/m);
});

test('log lines are JSON when nobody watches, text when asked for, and --verbose says more', async (t) => {
  const json = await started(t, ['serve', '--dev', '--server', server.url, '--config', config({ identity: 'a' })]);
  await json.printed(/Exposed:/);
  const { stderr } = await json.stop();
  const lines = stderr.split('\n').filter((line) => line.startsWith('{'));
  assert.ok(lines.length > 0);
  for (const line of lines) assert.deepEqual(Object.keys(JSON.parse(line)).slice(0, 3), ['time', 'level', 'msg']);

  const args = ['serve', '--dev', '--server', server.url, '--log-format', 'text', '--verbose'];
  const text = await started(t, [...args, '--config', config({ identity: 'b' })]);
  await text.printed(/Exposed:/);
  assert.match((await text.stop()).stderr, /^time=\S+ level=\w+ msg=/m);
});

test('on a terminal the log is text and the name in the banner is bold', {
  skip: !existsSync('/usr/bin/script'),
}, async (t) => {
  const { NO_COLOR: _, ...env } = cleanEnv({ TERM: 'xterm' });
  const command = `exec '${process.execPath}' '${fiskEntry}' serve --dev --server ${server.url} --config '${config({ identity: 'tty' })}'`;
  const terminal = await start('/usr/bin/script', ['-qefc', command, '/dev/null'], { env });
  t.after(() => terminal.stop('SIGKILL'));
  await terminal.printed(/Exposed:/);
  const [daemon = 0] = childrenOf(terminal.pid);
  process.kill(daemon, 'SIGTERM');
  const { code, stdout } = await terminal.ended;
  assert.equal(code, 0);
  assert.match(stdout, /^time=\S+ level=info msg=/m);
  assert.ok(stdout.includes('Serving \u001b[1mtty/devel\u001b[22m:'));
});

test('--dev without a context starts a private server, says how to call, and takes it along', async (t) => {
  const daemon = await started(t, ['serve', '--dev', '--config', config()], { env: cleanEnv() });
  const [, url = ''] = await daemon.printed(/^ +NATS Server: (nats:\/\/127\.0\.0\.1:\d+)$/m);
  const [, hint = ''] = await daemon.printed(/^ {4}(npx fisk call depot .* --server .*)$/m);
  assert.ok(hint.endsWith(url));
  const called = await run('sh', ['-c', hint], { env: cleanEnv({ DEPOT_STORE: `${tempDir()}/store.json` }) });
  assert.equal(called.code, 0, called.stderr);
  assert.equal((await daemon.stop('SIGINT')).code, 0);
  assert.equal((await fisk(['discover', '--server', url])).code, 1, 'the private server is gone');
});

test('--dev does not leave its server behind when it is killed', async (t) => {
  const daemon = await started(t, ['serve', '--dev', '--config', config()], { env: cleanEnv() });
  const [, url = ''] = await daemon.printed(/NATS Server: (\S+)/);
  await daemon.stop('SIGKILL');
  await waitFor(async () => (await fisk(['discover', '--server', url])).code === 1, { what: 'the server to go' });
});

test('--dev uses NATS_URL, and the context of the file before both', async (t) => {
  const env = cleanEnv({ NATS_URL: server.url });
  const byVariable = await started(t, ['serve', '--dev', '--config', config()], { env });
  await byVariable.printed(new RegExp(`NATS Server: ${server.url}`));
  await byVariable.stop();
  tempFile('nats/context/lab.json', JSON.stringify({ url: server.url }), env['XDG_CONFIG_HOME']);
  const file = config({ more: 'nats_context: lab\n' });
  const byFile = await started(t, ['serve', '--dev', '--config', file], {
    env: { ...env, NATS_URL: 'nats://127.0.0.1:1' },
  });
  await byFile.printed(/Agent Context: lab/);
  await byFile.stop();
});

test('a private server that dies ends the daemon with 1 and says so', async (t) => {
  const daemon = await started(t, ['serve', '--dev', '--config', config()], { env: cleanEnv() });
  await daemon.printed(/Exposed:/);
  const [child = 0, ...others] = childrenOf(daemon.pid);
  assert.ok(child > 1 && others.length === 0);
  process.kill(child, 'SIGKILL');
  const ended = await daemon.ended;
  assert.equal(ended.code, 1);
  assert.match(ended.stderr, /fisk: error: the private NATS server ended/);
});

test('--check shows what would be served and what not, connects to nothing, and succeeds', async () => {
  const file = config({ more: 'nats_context: nowhere\nglobal_flags: [site]\n' });
  const env = cleanEnv();
  tempFile('nats/context/nowhere.json', '{"url": "nats://127.0.0.1:1"}', env['XDG_CONFIG_HOME']);
  const { code, stdout, stderr } = await fisk(['serve', '--check', '--config', file], { env });
  assert.deepEqual([code, stderr], [0, '']);
  assert.match(
    stdout,
    /^Would serve depot\/devel:\n\n {6}Application: \/.*depot \(depot 1\.4\.0\)\n {8}Endpoints: a2a\n/,
  );
  assert.match(stdout, /Exposed: part_add\n/);
  assert.match(
    stdout,
    /\n {2}Not served:\n\n {4}Tool +Reason\n {4}close_forget +tagged ai:deny\n {4}close_clear +needs/,
  );
});

test('--check finds every problem of the file at once', async () => {
  const file = tempFile('tools.yaml', 'identity: a.b\nharness: {tool_timeot: 5m, tool_timeout: -3s}\n');
  const { code, stdout, stderr } = await fisk(['serve', '--check', '--config', file], { env: cleanEnv() });
  assert.deepEqual([code, stdout], [1, '']);
  assert.match(stderr, /^fisk: error: /);
  assert.match(stderr, /identity/);
  assert.match(stderr, /tool_timeot[\s\S]*tool_timeout/, 'the unknown key with what was probably meant');
});

for (const [what, args, pattern] of [
  ['a file that is not there', () => ['--config', 'missing.yaml'], /missing\.yaml/],
  [
    'a file that enables nothing',
    () => ['--config', tempFile('a.yaml', 'identity: x\n')],
    /serve_tools: true[\s\S]*FISK_AI/,
  ],
  ['a file without a context', () => ['--config', config()], /nats_context/],
  ['an unknown context', () => ['--config', config({ more: 'nats_context: nope\n' })], /nope/],
  [
    'a server that is not there',
    () => ['--dev', '--server', 'nats://127.0.0.1:1', '--config', config()],
    /127\.0\.0\.1:1/,
  ],
  [
    'an application that is not there',
    () => ['--dev', '--config', config({ application: '/nowhere/app' })],
    /\/nowhere\/app/,
  ],
  [
    'a filter that leaves nothing',
    () => ['--dev', '--config', config({ more: 'include: {tools: [^zzz]}\n' })],
    /include/,
  ],
  ['only gated tools left', () => ['--dev', '--config', config({ more: 'include: {tools: [clear]}\n' })], /approval/],
  ['a relative work directory', () => ['--dev', '--work-dir', 'x', '--config', config()], /--work-dir "x" is relative/],
  ['a base URL that is none', () => ['--dev', '--base-url', 'ftp://x', '--config', config()], /--base-url/],
  ['no workers', () => ['--dev', '--workers', '0', '--config', config()], /--workers/],
  ['no server program for --dev', () => ['--dev', '--config', config()], /FISK_NATS_SERVER/],
] as const) {
  test(`${what} is one block on stderr and exit 1, before any banner`, async () => {
    const env = cleanEnv(what.startsWith('no server program') ? { FISK_NATS_SERVER: '/nowhere' } : {});
    const { code, stdout, stderr } = await fisk(['serve', ...args()], { env, cwd: tempDir() });
    assert.deepEqual([code, stdout], [1, ''], stderr);
    assert.match(stderr, /^fisk: error: /m);
    assert.match(stderr, pattern);
    assert.doesNotMatch(stderr, /Serving|\n +at /);
  });
}

test('--server without --dev is a usage error', async () => {
  const { code, stderr } = await fisk(['serve', '--server', server.url, '--config', config()]);
  assert.equal(code, 1);
  assert.match(stderr, /^error: --server goes with --dev[\s\S]*Usage: fisk serve/);
});

for (const [signal, code] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const) {
  test(`${signal} while the application is still asked ends it and us, with ${code}`, async (t) => {
    const mark = tempFile('pid', '');
    const slow = tempScript(`#!/bin/sh\necho $$ > ${mark}\nexec sleep 60\n`);
    const daemon = await started(t, [
      'serve',
      '--dev',
      '--server',
      server.url,
      '--config',
      config({ application: slow }),
    ]);
    const pid = await waitFor(() => Number(readFileSync(mark, 'utf8')) || undefined, { what: 'the introspection' });
    const ended = await daemon.stop(signal);
    assert.deepEqual([ended.code, ended.signal], [code, null]);
    await waitGone(pid);
  });
}

test('a signal while the private server starts ends it and us', async (t) => {
  const mark = tempFile('pid', '');
  const slow = tempScript(`#!/bin/sh\necho $$ > ${mark}\nexec sleep 60\n`);
  const env = { ...cleanEnv(), FISK_NATS_SERVER: slow };
  const daemon = await started(t, ['serve', '--dev', '--config', config()], { env });
  const pid = await waitFor(() => Number(readFileSync(mark, 'utf8')) || undefined, { what: 'the private server' });
  const asked = performance.now();
  const ended = await daemon.stop('SIGTERM');
  assert.deepEqual([ended.code, ended.signal], [143, null]);
  assert.ok(performance.now() - asked < 4_000);
  await waitGone(pid);
});

test('a hang-up does what it does to any program', async (t) => {
  const daemon = await started(t, ['serve', '--dev', '--server', server.url, '--config', config()]);
  await daemon.printed(/Exposed:/);
  daemon.kill('SIGHUP');
  const ended = await daemon.ended;
  assert.deepEqual([ended.code, ended.signal], [null, 'SIGHUP']);
});

test('the second signal ends the running commands, the third leaves at once with its number', async (t) => {
  // A server that stands still makes the goodbye last as long as it may.
  const standing = await startNatsServer();
  const daemon = await started(t, ['serve', '--dev', '--server', standing.url, '--config', config()]);
  await daemon.printed(/Exposed:/);
  await started(t, ['call', '--server', standing.url, 'depot', 'stock_report', 'seconds=60']);
  const [command = 0] = await waitFor(() => childrenOf(daemon.pid).length > 0 && childrenOf(daemon.pid));
  process.kill(standing.pid, 'SIGSTOP');
  daemon.kill('SIGTERM');
  await daemon.printed(/^draining: /m);
  await delay(NEXT_WISH_MS);
  assert.ok(isAlive(command), 'the first signal leaves the command alone');
  daemon.kill('SIGTERM');
  await daemon.printed(/ending the running commands/);
  await waitGone(command);
  await delay(NEXT_WISH_MS);
  daemon.kill('SIGINT');
  const ended = await daemon.ended;
  process.kill(standing.pid, 'SIGCONT');
  await standing.stop();
  assert.deepEqual([ended.code, ended.signal], [130, null]);
});

for (const [what, args, least, most] of [
  ['as long as it may', [], 1_800, 5_000],
  ['no longer than it is told', ['--drain-timeout', '200ms'], 150, 1_700],
] as const) {
  test(`a server that stands still holds a leaving daemon up ${what}`, async (t) => {
    const standing = await startNatsServer();
    t.after(() => standing.stop());
    const daemon = await started(t, ['serve', '--dev', '--server', standing.url, '--config', config(), ...args]);
    await daemon.printed(/Exposed:/);
    process.kill(standing.pid, 'SIGSTOP');
    const asked = performance.now();
    assert.equal((await daemon.stop()).code, 0);
    const took = performance.now() - asked;
    assert.ok(took >= least && took < most, `${took} ms`);
  });
}

test('a time for leaving that is none is a usage error', async () => {
  for (const [value, reason] of [
    ['soon', 'has text that is no duration'],
    ['5', 'has a number without a unit'],
    ['0', 'is not above zero'],
    ['-1s', 'is not above zero'],
  ] as const) {
    const { code, stderr } = await fisk(['serve', `--drain-timeout=${value}`, '--config', config()]);
    assert.equal(code, 1);
    assert.ok(stderr.startsWith(`error: --drain-timeout ${value} ${reason}`), stderr);
  }
});

test('one Ctrl-C that arrives twice is one: callers hear of it before the private server goes', async (t) => {
  const daemon = await started(t, ['serve', '--dev', '--config', config()], { env: cleanEnv() });
  const [, url = ''] = await daemon.printed(/NATS Server: (\S+)/);
  await daemon.printed(/Exposed:/);
  const others = childrenOf(daemon.pid);
  const call = await started(t, ['call', '--server', url, 'depot', 'stock_report', 'seconds=60']);
  const [command = 0] = await waitFor(() => {
    const found = childrenOf(daemon.pid).filter((pid) => !others.includes(pid));
    return found.length > 0 && found;
  });
  t.after(() => isAlive(command) && process.kill(command, 'SIGKILL'));
  daemon.kill('SIGINT');
  daemon.kill('SIGINT');
  const [ended, answered] = await Promise.all([daemon.ended, call.ended]);
  assert.equal(ended.code, 0);
  assert.match(ended.stderr, /^draining: .*1 command is left running.*interrupt again/m);
  assert.doesNotMatch(ended.stderr, /ending the running commands/);
  assert.equal(answered.code, 75, answered.stderr);
  assert.match(answered.stderr, /\[interrupted\]/);
});

for (const version of natsServerVersions()) {
  const user = (password: string, deny = 'nothing') =>
    `authorization: { users: [ { user: u, password: ${password}, permissions: { subscribe: { deny: "${deny}" } } } ] }`;

  test(`on ${version}: a subscription that the server takes away ends the daemon with 1, the subject and an orderly log`, async (t) => {
    const strict = await startNatsServer({ version, config: user('p') });
    t.after(() => strict.stop());
    const url = strict.url.replace('://', '://u:p@');
    const daemon = await started(t, ['serve', '--dev', '--server', url, '--config', config()]);
    await daemon.printed(/Exposed:/);
    await strict.reload(user('p', 'choria.fisk-ai.discovery.depot'));
    const ended = await daemon.ended;
    assert.equal(ended.code, 1);
    assert.match(ended.stderr, /"msg":"service stopped"/);
    assert.match(ended.stderr, /^fisk: error: .*choria\.fisk-ai\.discovery\.depot[\s\S]*FISK_SERVICE_STOPPED/m);
    assert.doesNotMatch(ended.stderr, /u:p@|^draining/m);
  });

  test(`on ${version}: a server that no longer takes the credentials ends the daemon with 1 and the cause`, async (t) => {
    const strict = await startNatsServer({ version, config: user('p') });
    t.after(() => strict.stop());
    const url = strict.url.replace('://', '://u:p@');
    const daemon = await started(t, ['serve', '--dev', '--server', url, '--config', config()]);
    await daemon.printed(/Exposed:/);
    await strict.restart(user('q'));
    const ended = await daemon.ended;
    assert.equal(ended.code, 1);
    assert.match(ended.stderr, /"msg":"disconnected from NATS"/);
    assert.match(ended.stderr, /^fisk: error: .*authorization[\s\S]*FISK_NATS_CONNECTION_LOST/im);
  });
}
