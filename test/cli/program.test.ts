import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CommandName } from '../../src/cli/examples.ts';
import { main } from '../../src/cli/index.ts';
import { buildProgram, type Invocation } from '../../src/cli/program.ts';
import { memoryTerminal } from './memory-terminal.ts';

// biome-ignore lint/suspicious/noExplicitAny: JSON that a test takes apart
type Json = any;

async function fisk(...argv: string[]) {
  const terminal = memoryTerminal();
  const code = await main(argv, terminal, {});
  return { code, stdout: terminal.stdout(), stderr: terminal.stderr() };
}

/** What the command line hands to a command. */
async function parse(...argv: string[]): Promise<[CommandName, Invocation]> {
  let seen: [CommandName, Invocation] | undefined;
  const program = buildProgram(memoryTerminal(), async (name, invocation) => {
    seen = [name, invocation];
  });
  await program.parseAsync(argv, { from: 'user' });
  assert.ok(seen, 'a command ran');
  return seen;
}

test('bare fisk prints its usage on stdout and succeeds', async () => {
  const { code, stdout, stderr } = await fisk();
  assert.equal(code, 0);
  assert.match(stdout, /^Usage: fisk /);
  assert.equal(stderr, '');
});

test('the help names every command once, grouped, with examples, and fits 80 columns', async () => {
  const { code, stdout } = await fisk('--help');
  assert.equal(code, 0);
  for (const command of ['serve', 'mcp', 'discover', 'call', 'info', 'completion']) {
    assert.equal(stdout.match(new RegExp(`^ {2}${command}\\b`, 'gm'))?.length, 1, command);
  }
  for (const heading of ['Serve:', 'Ask and call:', 'Shell:', 'Examples:'])
    assert.ok(stdout.includes(`\n${heading}\n`));
  for (const line of stdout.split('\n')) assert.ok(line.length <= 80, line);
});

for (const command of ['serve', 'mcp', 'discover', 'call', 'info', 'completion']) {
  test(`help of ${command} is on stdout with its usage, flags and examples, before and after the command`, async () => {
    const after = await fisk(command, '--help');
    assert.equal(after.code, 0);
    assert.match(after.stdout, new RegExp(`^Usage: fisk ${command}`));
    assert.match(after.stdout, /\nExamples:\n {2}\S/);
    assert.equal((await fisk('help', command)).stdout, after.stdout);
    assert.equal((await fisk(command, '-h')).stdout, after.stdout);
  });
}

test('the version is printed bare, also after a command, and is devel in a checkout', async () => {
  for (const argv of [['--version'], ['serve', '--version']]) {
    assert.deepEqual(await fisk(...argv), { code: 0, stdout: 'devel\n', stderr: '' });
  }
});

test('an unknown command is an error on stderr with a suggestion and the usage', async () => {
  const { code, stdout, stderr } = await fisk('serv');
  assert.equal(code, 1);
  assert.equal(stdout, '');
  assert.match(stderr, /^error: unknown command 'serv'\n\(Did you mean serve\?\)\n\nUsage: fisk /);
});

test('an unknown flag is an error on stderr with a suggestion and the usage of its command', async () => {
  const { code, stdout, stderr } = await fisk('serve', '--confg', 'x');
  assert.equal(code, 1);
  assert.equal(stdout, '');
  assert.match(stderr, /^error: unknown option '--confg'\n\(Did you mean --config\?\)\n\nUsage: fisk serve /);
});

test('an argument of a tool that is typed as a flag is shown as the word it should be', async () => {
  for (const [typed, word] of [
    [['--filter', 'b'], 'filter=b'],
    [['--filter=b'], 'filter=b'],
    [['--fragile', '--json'], 'fragile=true'],
    [['-f', 'a b'], "'f=a b'"],
  ] as const) {
    const { stderr } = await fisk('call', 'depot', 'part_ls', ...typed);
    assert.match(stderr, /^error: unknown option/);
    assert.ok(stderr.includes(`\nAn argument of the tool is a word without dashes: ${word}\n`), stderr);
  }
  assert.doesNotMatch((await fisk('discover', '--filter', 'b')).stderr, /without dashes/);
});

test('the help of call says what an interrupted call means, and the help of serve what is for later', async () => {
  assert.match(
    (await fisk('call', '--help')).stdout,
    /\[interrupted\][\s\S]*only if the tool is\s+read-only or idempotent/,
  );
  const { stdout } = await fisk('serve', '--help');
  const [, later = ''] = stdout.split(/^For runs and jobs, which this version does not host yet:$/m);
  const block = later.split('\n\n')[0] ?? '';
  for (const flag of ['--work-dir', '--state-dir', '--workers', '--api-key', '--base-url']) {
    assert.ok(block.includes(flag), flag);
  }
  assert.doesNotMatch(block, /--check|--log-format/);
});

test('a missing argument, a value too many and a value that does not fit are usage errors', async () => {
  for (const argv of [
    ['call'],
    ['call', 'depot'],
    ['discover', 'a', 'b', 'c'],
    ['serve', 'x'],
    ['serve', '--log-format', 'xml'],
    ['serve', '--config'],
    ['serve', '--config='],
    ['completion', 'tcsh'],
    ['--json'],
    ['info', '--json=false'],
    ['info', '--no-json'],
  ]) {
    const { code, stdout, stderr } = await fisk(...argv);
    assert.equal(code, 1, argv.join(' '));
    assert.equal(stdout, '', argv.join(' '));
    assert.match(stderr, /^error: [\s\S]*\nUsage: fisk /, argv.join(' '));
  }
});

test('a flag takes its value in the next word or after an equals sign', async () => {
  for (const argv of [
    ['serve', '--config', 'a.yaml'],
    ['serve', '--config=a.yaml'],
  ]) {
    const [name, { flags, typed }] = await parse(...argv);
    assert.equal(name, 'serve');
    assert.equal(flags.config, 'a.yaml');
    assert.equal(typed('config'), true);
  }
});

test('a default is no typed flag', async () => {
  const [, { flags, typed }] = await parse('serve');
  assert.equal(flags.config, 'agent.yaml');
  assert.equal(typed('config'), false);
});

test('flags and arguments may stand in any order, and -- ends the flags', async () => {
  const [, mixed] = await parse('call', '--json', 'depot', '--server=nats://x', 'part_add', 'name=bolt');
  assert.deepEqual(mixed.args, ['depot', 'part_add', ['name=bolt']]);
  assert.equal(mixed.flags.server, 'nats://x');
  const [, ended] = await parse('call', 'depot', 'part_add', '--', '--json', '-x=1');
  assert.deepEqual(ended.args, ['depot', 'part_add', ['--json', '-x=1']]);
  assert.equal(ended.flags.json, undefined);
});

test('fisk answers introspection with its own commands, whatever else is on the line', async () => {
  const { code, stdout } = await fisk('--fisk-introspect');
  assert.equal(code, 0);
  const model = JSON.parse(stdout);
  assert.equal(model.name, 'fisk');
  const byName = new Map(model.commands.map((command: { name: string }) => [command.name, command]));
  assert.deepEqual([...byName.keys()], ['serve', 'mcp', 'discover', 'call', 'info', 'completion']);
  const call = byName.get('call') as Json;
  assert.deepEqual(call['schema']['required'], ['agent', 'tool']);
  assert.deepEqual(call['schema']['properties']['arguments']['type'], 'array');
  assert.deepEqual(call['schema']['properties']['json']['type'], 'boolean');
  const serve = byName.get('serve') as Json;
  assert.deepEqual(serve['tags'], ['ai:deny']);
  assert.equal(serve['schema']['properties']['workers']['type'], 'integer');
  assert.equal((await fisk('nonsense', '--fisk-introspect')).stdout, stdout);
});
