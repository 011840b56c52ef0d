import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { depot, fisk, started } from '../support/fisk.ts';
import { startNatsServer } from '../support/nats-server.ts';
import { tempDir, tempFile, tempScript } from '../support/tmp.ts';
import { waitFor, waitGone } from '../support/wait.ts';

const text = `
identity: depot
application_path: ${depot}
global_flags: [site]
exclude: {tools: ['^part_rm$', nothing_of_that_name]}
harness: {confirm_tags: ['impact:rw'], memory: {enabled: true, options: {directory: store}}}
llm: {model: some-model, thinking: {enabled: true}}
system_prompt: |
  First line
  second line
expose: {agent: {a2a: {serve_tools: true, tool_timeout: 90s, max_concurrent_tools: 3}}}
`;

test('info shows what a configuration amounts to, part by part', async () => {
  const cwd = tempDir();
  tempFile('agent.yaml', text, cwd);
  const { code, stdout, stderr } = await fisk(['info'], { cwd });
  assert.equal(code, 0, stderr);
  const order = [
    'Agent depot:',
    'Model:',
    'Serving tools over a2a:',
    'Tools:',
    'Not served:',
    'Global flags:',
    'Prompt:',
  ];
  const places = order.map((heading) => stdout.indexOf(heading));
  assert.deepEqual(
    places,
    [...places].sort((a, b) => a - b),
    stdout,
  );
  assert.ok(!places.includes(-1), stdout);
  assert.match(stdout, /Application: \/.*depot \(depot 1\.4\.0\)/);
  assert.match(stdout, new RegExp(`${cwd}/store \\(memory, does not exist\\)`));
  assert.match(stdout, /Thinking: enabled/);
  assert.match(stdout, /Concurrency: 3\n +Tool Timeout: 1m30s\n/);
  assert.match(stdout, /Withheld: memory/);
  assert.match(stdout, /^ {4}Tool +Source +Confirm +Description +Tags$/m);
  assert.match(
    stdout,
    /^ {4}part_add +local +Yes +Adds a part, or more of one that is there +impact:rw, ai:additive$/m,
  );
  assert.match(stdout, /^ {4}part_ls +local +Lists parts +impact:ro, ai:read_only$/m);
  assert.match(stdout, /^ {4}part_rm +excluded$/m);
  assert.match(stdout, /^ {4}close_forget +tagged ai:deny$/m);
  assert.match(stdout, /^ {4}part_add +needs an approval \(impact:rw\)/m);
  assert.match(stdout, /^ {4}--site +exposed +Site to act on$/m);
  assert.match(stdout, /^ {4}--trace +Tell on stderr/m);
  assert.match(stdout, /Prompt:\n\n {4}First line\n {4}second line\n$/);
  assert.match(stderr, /^warning: .*nothing_of_that_name/m);
});

test('info as JSON holds the whole set for a test of a configuration', async () => {
  const cwd = tempDir();
  tempFile('agent.yaml', text, cwd);
  const { stdout } = await fisk(['info', '--json'], { cwd });
  const report = JSON.parse(stdout);
  assert.deepEqual(Object.keys(report), [
    'config',
    'version',
    'identity',
    'identity_named',
    'nats_context',
    'application',
    'model',
    'serving',
    'refusals',
    'builtins',
    'directories',
    'tools',
    'removed',
    'remote_agents',
    'global_flags',
    'system_prompt',
    'notices',
  ]);
  const tools = new Map<string, Record<string, unknown>>(
    report.tools.map((tool: { name: string }) => [tool.name, tool]),
  );
  const { input_schema, ...listed } = tools.get('part_ls') ?? {};
  assert.deepEqual(listed, {
    name: 'part_ls',
    command: 'part ls',
    kind: 'application',
    source: 'local',
    description: 'Lists parts',
    tags: ['impact:ro', 'ai:read_only'],
    behavior: { read_only: true },
    confirm: null,
    deferrable: true,
    exposable: { a2a: true, mcp: true },
    served: true,
    withheld: null,
  });
  assert.equal((input_schema as { type: string }).type, 'object');
  assert.deepEqual([tools.get('part_add')?.['confirm'], tools.get('part_add')?.['served']], ['impact:rw', false]);
  assert.deepEqual(
    report.removed.map((removed: { name: string }) => removed.name),
    ['part_rm', 'close_forget'],
  );
  assert.deepEqual(report.serving, { concurrency: 3, tool_timeout: '1m30s' });
  assert.equal(report.notices[0].kind, 'filter_unmatched');
});

test('an application that cannot be asked is fatal for info too', async () => {
  const file = tempFile('agent.yaml', 'application_path: /nowhere/app\n');
  const { code, stdout, stderr } = await fisk(['info', '--config', file]);
  assert.deepEqual([code, stdout], [1, '']);
  assert.match(stderr, /^fisk: error: .*\/nowhere\/app/);
});

test('a signal while the application is asked ends it and us, also for serve --check', async (t) => {
  for (const args of [['info'], ['serve', '--check', '--dev']]) {
    const mark = tempFile('pid', '');
    const slow = tempScript(`#!/bin/sh\necho $$ > ${mark}\nexec sleep 60\n`);
    const file = tempFile(
      'agent.yaml',
      `identity: slow\napplication_path: ${slow}\nexpose: {agent: {a2a: {serve_tools: true}}}\n`,
    );
    const running = await started(t, [...args, '--config', file]);
    const pid = await waitFor(() => Number(readFileSync(mark, 'utf8')) || undefined, { what: 'the introspection' });
    const ended = await running.stop('SIGINT');
    assert.deepEqual([ended.code, ended.signal, ended.stdout, ended.stderr], [130, null, '', '']);
    await waitGone(pid);
  }
});

test('an empty file is a valid configuration with little to tell, and filters without an application are warned about', async () => {
  const empty = await fisk(['info', '--config', tempFile('agent.yaml', '')]);
  assert.equal(empty.code, 0, empty.stderr);
  assert.match(empty.stdout, /^Agent fisk-ai:\n/);
  assert.match(empty.stdout, /derived/);
  const filters = await fisk(['info', '--config', tempFile('agent.yaml', 'include: {tools: [x]}\n')]);
  assert.match(filters.stderr, /warning: include and exclude/);
});

test('remote agents are looked at, one that is down beside one that is up', async (t) => {
  const server = await startNatsServer();
  const serving = tempFile(
    'serve.yaml',
    `identity: depot\napplication_path: ${depot}\nexpose: {agent: {a2a: {serve_tools: true}}}\n`,
  );
  const daemon = await started(t, ['serve', '--dev', '--server', server.url, '--config', serving]);
  await daemon.printed(/Exposed:/);
  const file = tempFile(
    'agent.yaml',
    'nats_context: none\nremote_tools: [{name: depot, alias: d, include: {tools: [^part_]}}, {name: gone}]\n',
  );
  const { code, stdout, stderr } = await fisk(['info', '--config', file, '--server', server.url]);
  assert.equal(code, 0, stderr);
  assert.match(
    stdout,
    /depot: reachable in [\d.]+ ms, version devel, 7 tools, 4 selected, as d\n +gone: not reachable: /,
  );

  const { remote_agents } = JSON.parse((await fisk(['info', '--json', '--config', file])).stdout);
  assert.deepEqual(
    remote_agents.map((agent: { reachable: boolean }) => agent.reachable),
    [false, false],
    'a context that leads nowhere is no failure of info',
  );
  await daemon.stop();
  await server.stop();
});
