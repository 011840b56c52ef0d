import assert from 'node:assert/strict';
import { test } from 'node:test';
import { main } from '../../src/cli/index.ts';
import { fixture, tempDir, tempFile, tempScript } from '../support/tmp.ts';
import { memoryTerminal } from './memory-terminal.ts';

const served = (more = '', path = fixture('lab.sh'), a2a = '', context = 'dead') =>
  tempFile(
    'agent.yaml',
    `identity: lab\napplication_path: ${path}\nnats_context: ${context}\n` +
      `expose: {agent: {a2a: {serve_tools: true, ${a2a}}}}\n${more}`,
  );

/** An application that describes itself so. */
const application = (document: object) => tempScript(`#!/bin/sh\necho '${JSON.stringify(document)}'\n`, 'app');

const command = (tag: string) => ({ name: 'c', help: 'Does it', tags: [tag], schema: {}, restricted_schema: {} });

/** Runs `fisk serve` with a context `dead` that leads to a port where nothing listens. */
function serve(...args: string[]) {
  return serveWith({}, ...args);
}

async function serveWith(more: NodeJS.ProcessEnv, ...args: string[]) {
  const terminal = memoryTerminal();
  const home = tempDir();
  tempFile('nats/context/dead.json', '{"url": "nats://127.0.0.1:1"}', home);
  tempFile('nats/context/torn.json', '{"creds": "/nowhere/a.creds"}', home);
  const env = { PATH: process.env['PATH'], XDG_CONFIG_HOME: home, ...more };
  const code = await main(['serve', ...args], terminal, env);
  return { code, stdout: terminal.stdout(), stderr: terminal.stderr() };
}

for (const [what, args, patterns] of [
  ['a server that is not there, with the context', () => ['--config', served()], [/context dead/, /127\.0\.0\.1:1/]],
  [
    'an application that may not be executed',
    () => ['--config', served('', tempFile('app', 'text'))],
    [/\/app /, /not executable/],
  ],
  [
    'an application that answers with something else',
    () => ['--check', '--config', served('', tempScript('#!/bin/sh\necho hello\n', 'app'))],
    [/\/app/, /hello/],
  ],
  [
    'the file whose filters leave nothing',
    () => ['--check', '--config', served('include: {tools: [zzz]}\n')],
    [/include and exclude of .*agent\.yaml/, /lab\.sh/],
  ],
  [
    'the approvals that leave nothing',
    () => ['--check', '--config', served('include: {tools: [approved]}\n')],
    [/lab\.sh/, /approval \(ai:confirm\)/],
  ],
  [
    'the application that has no commands, and blames no filter',
    () => ['--check', '--config', served('', application({}))],
    [/\/app has no commands/, /--fisk-introspect prints/],
  ],
  [
    'the tag that leaves no command, and blames no filter',
    () => ['--check', '--config', served('', application({ commands: [command('ai:deny')] }))],
    [/there is no command of .*\/app to serve: tagged ai:deny/],
  ],
  [
    'the only tool as the only one',
    () => ['--check', '--config', served('', application({ commands: [command('ai:confirm')] }))],
    [/the only tool of .*\/app cannot be served to peers: needs an approval/],
  ],
  [
    'the place of a global flag that there is not',
    () => ['--check', '--config', served('global_flags:\n  - nope\n')],
    [/agent\.yaml:6:5: global_flags: the application has no global flag "nope"/],
  ],
  [
    'an unknown context, also when it only checks',
    () => ['--check', '--config', served('', undefined, '', 'daed')],
    [/context "daed": it is unknown/, /Did you mean dead\?/],
  ],
  [
    'credentials that cannot be read, also when it only checks',
    () => ['--check', '--config', served('', undefined, '', 'torn')],
    [/context "torn": its credentials cannot be read: ENOENT/, /nats context edit torn/],
  ],
  [
    'a work directory that is not there',
    () => ['--config', served(), '--work-dir', '/nowhere'],
    [/"\/nowhere" does not/],
  ],
  [
    'a state directory beside a backend that has none',
    () => ['--config', served('harness: {sessions: {backend: jetstream}}\n'), '--state-dir', '/tmp'],
    [/--state-dir/, /"jetstream"/],
  ],
  [
    'a negative time limit of runs',
    () => ['--config', served('harness: {tool_timeout: -1s}\n')],
    [/agent\.yaml:5:\d+: harness\.tool_timeout/, /"-1s"/],
  ],
  ...[
    ['prompts', 'expose: {agent: {a2a: {prompts: {}}}}', /expose\.agent\.a2a\.prompts is not available/],
    ['jobs', 'expose: {agent: {jobs: {}}}', /expose\.agent\.jobs is not available/],
  ].map(
    ([block, yaml, pattern]) =>
      [
        `the block ${block} while it is not built`,
        () => [
          '--config',
          tempFile('agent.yaml', `identity: a\nnats_context: dead\nsystem_prompt: s\nllm: {model: m}\n${yaml}\n`),
        ],
        [pattern],
      ] as [string, () => string[], RegExp[]],
  ),
] as [string, () => string[], RegExp[]][]) {
  test(`serve names ${what}, as one block with exit 1, and shows no banner`, async () => {
    const { code, stdout, stderr } = await serve(...args());
    assert.deepEqual([code, stdout], [1, ''], stderr);
    assert.match(stderr, /^fisk: error: /);
    for (const pattern of patterns) assert.match(stderr, pattern);
    assert.doesNotMatch(stderr, /Serving |\n +at /);
  });
}

test('a file with several mistakes is reported with the place of each', async () => {
  const file = tempFile('agent.yaml', 'identity: a b\nnope: 1\nexpose: {agent: {a2a: {serve_tools: yes}}}\n');
  const { stderr } = await serve('--check', '--config', file);
  for (const place of ['1:11: identity', '2:1: nope', '3:37: expose.agent.a2a.serve_tools']) {
    assert.ok(stderr.includes(`agent.yaml:${place}`), `${place}\n${stderr}`);
  }
});

test('the number of workers reaches neither the concurrency nor a file without a queue', async () => {
  for (const [a2a, concurrency] of [
    ['max_concurrent_tools: 3', /Concurrency: 3\n/],
    ['max_concurrent_tools: 0', /Concurrency: [2-8]\n/],
  ] as const) {
    const { code, stdout, stderr } = await serve('--check', '--workers', '77', '--config', served('', undefined, a2a));
    assert.equal(code, 0, stderr);
    assert.match(stdout, concurrency);
    assert.doesNotMatch(stdout, /77|Queue Workers/);
  }
});

test('built-in tools that the file enables are shown as withheld, and a file of all uses serves its tools', async () => {
  const more = `system_prompt: s
llm: {model: m}
harness: {human_in_the_loop: {enabled: true}, memory: {enabled: true}, knowledge: {enabled: true}}
remote_tools: [{name: other}]
mcp_servers: [{name: files, command: none}]
`;
  const { code, stdout, stderr } = await serve('--check', '--config', served(more));
  assert.equal(code, 0, stderr);
  assert.match(stdout, /Withheld: human-in-the-loop\n +memory\n +knowledge\n\n {4}The withheld built-in tools /);
  assert.doesNotMatch(stdout, /Model:|Sessions:|Knowledge:|Tool Directory:/);
});

test('a file that exports is served when a flag or a variable keeps it from exporting, and not otherwise', async () => {
  const file = served('telemetry: {enabled: true}\n');
  const refused = await serve('--check', '--config', file);
  assert.equal(refused.code, 1);
  assert.match(refused.stderr, /telemetry\.enabled is not available[\s\S]*--no-telemetry/);
  for (const [env, ...flags] of [
    [{}, '--no-telemetry'],
    [{ NO_TELEMETRY: 'yes' }],
    [{ OTEL_SDK_DISABLED: 'true' }],
  ] as [NodeJS.ProcessEnv, ...string[]][]) {
    const { code, stdout, stderr } = await serveWith(env, '--check', '--config', file, ...flags);
    assert.equal(code, 0, stderr);
    assert.match(stdout, /Telemetry: disabled/);
  }
});

test('a base address is judged before the file is read, the flag before the variable', async () => {
  const env = { ANTHROPIC_BASE_URL: 'ftp://x' };
  assert.match((await serveWith(env, '--config', 'missing.yaml')).stderr, /ANTHROPIC_BASE_URL.*ftp/);
  const typed = await serveWith(env, '--check', '--config', served(), '--base-url', 'http://127.0.0.1:1');
  assert.equal(typed.code, 0, typed.stderr);
  assert.equal((await serveWith({ ANTHROPIC_BASE_URL: '' }, '--check', '--config', served())).code, 0);
});

test('a switch without a value is warned about although nothing else is enabled', async () => {
  const file = tempFile('agent.yaml', 'identity: a\nexpose:\n  agent:\n    a2a:\n');
  const { code, stderr } = await serve('--config', file);
  assert.equal(code, 1);
  assert.match(
    stderr,
    /^warning: .*agent\.yaml:4:5: expose\.agent\.a2a has no value.*\nfisk: error: .*enables no endpoint/,
  );
});
