import assert from 'node:assert/strict';
import { relative } from 'node:path';
import { test } from 'node:test';
import { main } from '../../src/cli/index.ts';
import { fixture, tempFile, tempScript } from '../support/tmp.ts';
import { memoryTerminal } from './memory-terminal.ts';

async function info(yaml: string, { flags = [] as string[], env = {} as NodeJS.ProcessEnv, isTerminal = false } = {}) {
  const terminal = memoryTerminal({ isTerminal, env });
  const code = await main(['info', '--config', tempFile('agent.yaml', yaml), ...flags], terminal, env);
  return { code, stdout: terminal.stdout(), stderr: terminal.stderr() };
}

test('an application is found from the working directory, not from where the file is', async () => {
  const path = relative(process.cwd(), fixture('lab.sh'));
  const { code, stdout, stderr } = await info(`application_path: ./${path}\nidentity: lab\n`);
  assert.equal(code, 0, stderr);
  assert.ok(stdout.includes(`Application: ${fixture('lab.sh')} (`), stdout);
});

test('descriptions in the table of tools are cut after 50 characters, and what is odd about tags is told after it', async () => {
  const schema = { type: 'object', properties: {} };
  const leaf = { name: 'a', help: 'h'.repeat(51), schema, restricted_schema: schema, tags: ['ai:unheard_of'] };
  const document = tempFile('document.json', JSON.stringify({ name: 'app', commands: [leaf] }));
  const application = tempScript(`#!/bin/sh\nexec cat ${document}\n`);
  const { stdout, stderr } = await info(`application_path: ${application}\nidentity: lab\n`);
  assert.match(stdout, /^ {4}a +local +h{50}\.\.\. +ai:unheard_of$/m);
  assert.match(stderr, /^warning: .*ai:unheard_of/m);
});

test('headings are bold on a terminal, and plain with --no-color or any text in NO_COLOR', async () => {
  const isTerminal = true;
  assert.ok((await info('identity: a', { isTerminal })).stdout.includes('\u001b[1ma\u001b[22m'));
  for (const plain of [{ flags: ['--no-color'] }, { env: { NO_COLOR: 'yes' } }]) {
    assert.ok(!(await info('identity: a', { isTerminal, ...plain })).stdout.includes('\u001b'));
  }
});

test('what thinking is set to has three states, and a file without a model has no part about one', async () => {
  for (const [thinking, shown] of [
    ['', 'provider default'],
    ['thinking: {}', 'disabled'],
    ['thinking: {enabled: true}', 'enabled'],
  ]) {
    const { stdout } = await info(`llm: {model: some-model, ${thinking}}`);
    assert.match(stdout, new RegExp(`Model: some-model\\n +Provider: anthropic\\n +Thinking: ${shown}\\n`));
  }
  assert.doesNotMatch((await info('llm: {thinking: {}}')).stdout, /Model/);
});

test('the file is judged as for any command, and what a command would need is not asked for', async () => {
  const wrong = await info('identity: a b\nharness: {pii: {mode: x}}\n');
  assert.equal(wrong.code, 1);
  assert.match(wrong.stderr, /harness\.pii\.mode[\s\S]*identity/);
  assert.equal((await info('expose: {agent: {jobs: {}, a2a: {prompts: {}}}}\nremote_tools: []\n')).code, 0);
});

test('what fisk serve would refuse about a file is told with its remedy, and only where something is to be served', async () => {
  const serves = 'identity: lab\nexpose: {agent: {a2a: {serve_tools: true}}}\n';
  const bare = await info(serves);
  assert.match(
    bare.stdout,
    /^ {2}fisk serve refuses this file:\n\n {4}\S*agent\.yaml:2:\d+: expose\.agent\.a2a\.serve_tools needs /m,
  );
  assert.match(bare.stdout, /needs application_path.*\n {6}Add application_path\./);
  assert.match(bare.stdout, /needs nats_context.*\n {6}Add nats_context/);
  assert.doesNotMatch(bare.stdout, /Exposed/, 'of nothing');
  const json = JSON.parse((await info(serves, { flags: ['--json'] })).stdout);
  assert.equal(json.refusals.length, 2);

  const application = `application_path: ${fixture('lab.sh')}\nnats_context: any\n`;
  const good = await info(serves + application);
  assert.doesNotMatch(good.stdout, /refuses/);
  const nothing = await info(`${serves}${application}include: {tools: [zzz]}\n`);
  assert.match(nothing.stdout, /refuses this file:\n\n {4}include and exclude of/);
  assert.doesNotMatch((await info('identity: lab\n')).stdout, /refuses/);
  assert.match((await info('expose: {agent: {jobs: {}}}\n')).stdout, /refuses[\s\S]*is not available/);
});

test('what is exposed and what is not served add up to all commands', async () => {
  const { stdout } = await info(
    `identity: lab\nnats_context: any\napplication_path: ${fixture('lab.sh')}\nexclude: {tools: [^echo$]}\n` +
      'expose: {agent: {a2a: {serve_tools: true}}}\n',
  );
  const [, exposed, all] = /Exposed: (\d+) of (\d+) commands\n/.exec(stdout) ?? [];
  const [, table = ''] = stdout.split('  Not served:\n\n');
  const rows = (table.split('\n\n')[0] ?? '').trimEnd().split('\n').length - 1;
  assert.ok(/echo +excluded/.test(table) && rows > 1, stdout);
  assert.equal(Number(exposed) + rows, Number(all));
});
