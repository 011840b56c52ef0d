import assert from 'node:assert/strict';
import { readFileSync, unlinkSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { after, before, type TestContext, test } from 'node:test';
import { depot, fisk, fiskEntry, started, startFisk } from '../support/fisk.ts';
import { startNatsServer, type TestNatsServer } from '../support/nats-server.ts';
import { type Running, spawnOwned } from '../support/run.ts';
import { tempDir, tempFile, tempScript } from '../support/tmp.ts';
import { waitFor } from '../support/wait.ts';

/** An application whose commands end in ways that the depot's do not. */
const endings = `#!/bin/sh
if [ "$1" = --fisk-introspect ]; then
cat <<'END'
{"name":"endings","help":"","version":"1","commands":[
${['kill', 'bytes', 'slow', 'big', 'quiet'].map(leaf).join(',\n')}
]}
END
exit
fi
case "$1" in
kill) kill -9 $$ ;;
bytes) printf 'no line feed' ;;
slow) echo started; echo x >> "$ENDINGS_MARK"; exec sleep 20 ;;
big) i=0; while [ $i -lt 9000 ]; do echo "line $i of many"; i=$((i+1)); done ;;
quiet) exit 65 ;;
esac
`;

function leaf(name: string): string {
  const schema = '{"type":"object","additionalProperties":false,"properties":{}}';
  return `{"name":"${name}","help":"Does ${name}","schema":${schema},"restricted_schema":${schema}}`;
}

let server: TestNatsServer;
let daemons: Running[] = [];
let application: string;
/** Holds a line for each slow command that was started. */
const mark = tempFile('mark', '');

/** Starts a call of a slow command, and waits until that command runs. */
async function slowCall(t: TestContext, identity: string): Promise<Running> {
  const before = readFileSync(mark).length;
  const running = await started(t, ['call', '--server', server.url, identity, 'slow']);
  await waitFor(() => readFileSync(mark).length > before, { what: 'the slow command' });
  return running;
}

before(async () => {
  server = await startNatsServer();
  application = tempScript(endings, 'endings');
  const serve = (identity: string, path: string, limits: string) =>
    startFisk(
      [
        'serve',
        '--dev',
        '--server',
        server.url,
        '--config',
        tempFile(
          'agent.yaml',
          `identity: ${identity}\napplication_path: ${path}\nexpose: {agent: {a2a: {serve_tools: true, ${limits}}}}\n`,
        ),
      ],
      { env: { ...process.env, DEPOT_STORE: `${tempDir()}/store.json`, ENDINGS_MARK: mark } },
    );
  daemons = await Promise.all([
    serve('depot', depot, 'max_concurrent_tools: 8'),
    serve('endings', application, 'max_concurrent_tools: 1'),
    serve('hasty', application, 'tool_timeout: 500ms'),
    serve('roomy', application, 'max_concurrent_tools: 8, tool_timeout: 5s'),
  ]);
  await Promise.all(daemons.map((daemon) => daemon.printed(/Exposed:/)));
});

after(async () => {
  await Promise.all(daemons.map((daemon) => daemon.stop()));
  await server.stop();
});

const call = (...args: string[]) => fisk(['call', '--server', server.url, ...args]);

test('the output of a command is on stdout, byte for byte, and its exit code is ours', async () => {
  const added = await call('depot', 'part_add', 'name=bolt', 'count=5', 'shelf=B2');
  assert.equal(added.code, 0, added.stderr);
  assert.equal(added.stderr, '');
  assert.match(added.stdout, /bolt/);
  assert.deepEqual(await call('endings', 'bytes'), { code: 0, signal: null, stdout: 'no line feed', stderr: '' });
  const empty = await call('endings', 'quiet');
  assert.deepEqual([empty.code, empty.stdout, empty.stderr], [65, '', '']);
});

test('arguments come as JSON, from stdin, and as words with lists and booleans', async () => {
  const text = JSON.stringify({ name: 'nut', count: 2, colour: ['red', 'blue'], fragile: true });
  assert.equal((await call('depot', 'part_add', text)).code, 0);
  const piped = await fisk(['call', '--server', server.url, 'depot', 'part_add', '-'], { input: '{"name":"pin"}\n' });
  assert.equal(piped.code, 0, piped.stderr);
  const bytes = Buffer.from('{"name":"p\xffn"}\n', 'latin1');
  const garbled = await fisk(['call', '--server', server.url, 'depot', 'part_add', '-'], { input: bytes });
  assert.equal(garbled.code, 1);
  assert.match(garbled.stderr, /stdin is not UTF-8/);
  const words = await call(
    'depot',
    'part_add',
    'name=cog',
    'fragile=true',
    'colour=red',
    'colour=blue',
    'weight:=1.50',
  );
  assert.equal(words.code, 0, words.stderr);
  for (const name of ['nut', 'cog']) {
    const shown = await call('depot', 'part_show', `name=${name}`);
    assert.match(shown.stdout, /red.*blue/s);
    assert.match(shown.stdout, /fragile/i);
  }
});

test('a command that a signal ended is 255 and said so', async () => {
  const { code, stderr } = await call('endings', 'kill');
  assert.equal(code, 255);
  assert.match(stderr, /signal/);
});

test('output that the agent had to shorten is announced on stderr', async () => {
  const { code, stdout, stderr } = await call('endings', 'big');
  assert.equal(code, 0);
  assert.match(stdout, /^line 0 of many\n[\s\S]*line 8999 of many\n$/);
  assert.match(stderr, /left out/);
});

for (const [what, args, exit, pattern] of [
  ['a tool that is not there', ['depot', 'no_such'], 65, /no_such[\s\S]*fisk discover depot shows.*\[unknown_tool\]/],
  ['a tool that is misspelt', ['depot', 'part_ad'], 65, /part_ad[\s\S]*Did you mean part_add\?.*\[unknown_tool\]/],
  ['a tool named like a property of every object', ['depot', 'constructor'], 65, /unknown_tool/],
  [
    'an argument that is not there',
    ['depot', 'part_add', 'name=x', 'zzz=red'],
    65,
    /zzz[\s\S]*discover depot part_add/,
  ],
  [
    'an argument that is misspelt',
    ['depot', 'part_add', 'name=x', 'colur=red'],
    65,
    /colur[\s\S]*Did you mean colour for colur\?.*\[invalid_input\]/,
  ],
  ['a required argument left out', ['depot', 'part_add', 'count=1'], 65, /name/],
  ['a value out of its list', ['depot', 'part_add', 'name=x', 'grade=z'], 65, /grade/],
  ['an agent that nobody is', ['nobody', 'x'], 69, /nobody/],
  ['an agent that is misspelt', ['depto', 'part_ls'], 69, /Did you mean depot\?.*\[FISK_NO_RESPONDERS\]/],
  ['a command that takes longer than the agent lets it', ['hasty', 'slow'], 124, /\[timeout\]/],
  [
    'a call that takes longer than its caller waits',
    ['depot', 'stock_report', 'seconds=5', '--timeout', '300ms'],
    124,
    /FISK_CALL_TIMEOUT/,
  ],
  ['JSON that is none', ['depot', 'part_add', '{"a":'], 1, /^error: the argument is not JSON[\s\S]*Usage: fisk call/],
  ['a word that is no argument', ['depot', 'part_add', 'bolt'], 1, /^error: 'bolt'[\s\S]*Usage: fisk call/],
  [
    'a timeout without a unit',
    ['depot', 'part_ls', '--timeout', '5'],
    1,
    /^error: --timeout 5 has .* unit.*500ms, 90s/,
  ],
  ['a timeout of nothing', ['depot', 'part_ls', '--timeout', '0'], 1, /^error: --timeout/],
  ['two places to connect to', ['depot', 'part_ls', '--context', 'x'], 1, /^error: --context and --server/],
  ['a name that cannot be an agent', ['a.b', 'x'], 1, /^fisk: error: "a\.b"/],
] as const) {
  test(`${what}: exit ${exit}, text on stderr and nothing on stdout`, async () => {
    const { code, stdout, stderr } = await call(...args);
    assert.equal(code, exit, stderr);
    assert.equal(stdout, '');
    assert.match(stderr, pattern);
  });
}

test('a tool that fails without running a command is 70', async (t) => {
  const path = tempScript(endings, 'short-lived');
  const config = tempFile(
    'agent.yaml',
    `identity: gone\napplication_path: ${path}\nexpose: {agent: {a2a: {serve_tools: true}}}\n`,
  );
  const daemon = await started(t, ['serve', '--dev', '--server', server.url, '--config', config]);
  await daemon.printed(/Exposed:/);
  unlinkSync(path);
  const { code, stdout, stderr } = await call('gone', 'bytes');
  await daemon.stop();
  assert.deepEqual([code, stdout], [70, '']);
  assert.match(stderr, /fisk: error: /);
});

test('a full agent is 75 after the retries, and a draining one is too', async (t) => {
  const busy = await slowCall(t, 'endings');
  const full = await call('endings', 'bytes');
  assert.equal(full.code, 75, full.stderr);
  assert.match(full.stderr, /\[capacity\]/);

  daemons[1]?.kill('SIGTERM');
  const interrupted = await busy.ended;
  assert.equal(interrupted.code, 75, interrupted.stderr);
  assert.match(interrupted.stderr, /\[interrupted\]/);
  assert.equal((await daemons[1]?.ended)?.code, 0);
});

for (const [signal, code] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const) {
  test(`${signal} while a call runs ends us with ${code} at once`, async (t) => {
    const running = await slowCall(t, 'roomy');
    const asked = performance.now();
    const ended = await running.stop(signal);
    assert.deepEqual([ended.code, ended.signal, ended.stdout], [code, null, '']);
    assert.match(ended.stderr, /may still run/);
    assert.ok(performance.now() - asked < 2_000);
  });
}

test('a signal while a server is dialled that never speaks ends every command with 130 at once', async (t) => {
  const dialled: Socket[] = [];
  const mute = createServer((socket) => dialled.push(socket.on('error', () => {}))).listen(0, '127.0.0.1');
  t.after(() => {
    for (const socket of dialled) socket.destroy();
    mute.close();
  });
  await new Promise((resolve) => mute.once('listening', resolve));
  const url = `127.0.0.1:${(mute.address() as { port: number }).port}`;
  const file = tempFile('agent.yaml', 'remote_tools: [{ name: other }]\n');
  for (const args of [
    ['call', 'lab', 'echo'],
    ['discover', 'lab'],
    ['discover', '--json'],
    ['info', '--config', file],
  ]) {
    const before = dialled.length;
    const running = await startFisk([...args, '--server', url]);
    await waitFor(() => dialled.length > before, { what: `${args[0]} to dial` });
    const asked = performance.now();
    const { code, signal, stdout } = await running.stop('SIGINT');
    assert.deepEqual([code, signal, stdout], [130, null, ''], args.join(' '));
    assert.ok(performance.now() - asked < 2_000, args.join(' '));
  }
});

test('with --json every ending is one document on stdout that names its class', async () => {
  const ran = await call('depot', 'part_ls', '--json');
  assert.equal(ran.code, 0);
  const { duration_ms, ...rest } = JSON.parse(ran.stdout);
  assert.equal(typeof duration_ms, 'number');
  assert.deepEqual(Object.keys(rest), ['agent', 'tool', 'class', 'exit_code', 'output', 'exec']);
  assert.deepEqual([rest.class, rest.exit_code, rest.exec.command], ['ran', 0, 'part ls']);

  for (const [args, exit, name] of [
    [['depot', 'no_such'], 65, 'unknown_tool'],
    [['depot', 'part_add'], 65, 'invalid_input'],
    [['nobody', 'x'], 69, 'no_responders'],
    [['hasty', 'slow'], 124, 'timeout'],
    [['depot', 'part_add', 'bolt'], 1, 'usage'],
    [['a.b', 'x'], 1, 'usage'],
  ] as const) {
    const { code, stdout, stderr } = await call(...args, '--json');
    const document = JSON.parse(stdout);
    assert.deepEqual([code, document.exit_code, document.class, stderr], [exit, exit, name, '']);
    assert.equal(typeof document.error.message, 'string');
  }
});

test('a server that is not there is a failure that names it', async () => {
  const { code, stderr } = await fisk(['call', '--server', 'nats://127.0.0.1:1', 'depot', 'part_ls']);
  assert.equal(code, 1);
  assert.match(stderr, /127\.0\.0\.1:1/);
});

test('a reader that takes only the first line costs nothing', async () => {
  const command = `"$0" "$1" call --server ${server.url} hasty big | head -1; echo "\${PIPESTATUS[0]}"`;
  const child = spawnOwned('bash', ['-c', command, process.execPath, fiskEntry], { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  child.stdout?.on('data', (chunk) => {
    output += chunk;
  });
  let errors = '';
  child.stderr?.on('data', (chunk) => {
    errors += chunk;
  });
  await new Promise((resolve) => child.once('close', resolve));
  assert.equal(output, 'line 0 of many\n0\n');
  assert.doesNotMatch(errors, /EPIPE|at /);
});

test('fisk can be wrapped by fisk: its own commands are tools', async (t) => {
  const self = tempScript(`#!/bin/sh\nexec '${process.execPath}' '${fiskEntry}' "$@"\n`, 'fisk');
  const config = tempFile(
    'agent.yaml',
    `identity: meta\napplication_path: ${self}\nexpose: {agent: {a2a: {serve_tools: true}}}\n`,
  );
  const daemon = await started(t, ['serve', '--dev', '--server', server.url, '--config', config]);
  await daemon.printed(/Exposed:/);
  const card = JSON.parse((await fisk(['discover', 'meta', '--server', server.url, '--json'])).stdout);
  assert.deepEqual(
    card.tools.map((tool: { name: string }) => tool.name),
    ['discover', 'call', 'info'],
  );
  const inner = await call('meta', 'call', 'agent=depot', 'tool=part_ls', `server=${server.url}`, 'json=true');
  assert.equal(inner.code, 0, inner.stderr);
  assert.equal(JSON.parse(inner.stdout).class, 'ran');
  const listed = await call(
    'meta',
    'call',
    `{"agent":"depot","tool":"part_ls","arguments":["json=true"],"server":"${server.url}"}`,
  );
  assert.equal(listed.code, 0, listed.stderr);
  assert.equal(typeof JSON.parse(listed.stdout), 'object');
  await daemon.stop();
});
