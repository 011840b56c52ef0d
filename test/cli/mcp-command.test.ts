import assert from 'node:assert/strict';
import { test } from 'node:test';
import { main } from '../../src/cli/index.ts';
import { fixture, tempFile, tempScript } from '../support/tmp.ts';
import { memoryTerminal } from './memory-terminal.ts';

async function mcp(yaml: string, ...args: string[]) {
  const terminal = memoryTerminal();
  const env = { PATH: process.env['PATH'] };
  const code = await main(['mcp', '--config', tempFile('agent.yaml', yaml), ...args], terminal, env);
  return { code, stdout: terminal.stdout(), stderr: terminal.stderr() };
}

const lab = (block: string, more = '', path = fixture('lab.sh')) =>
  `identity: lab\napplication_path: ${path}\nexpose: {agent: {mcp: ${block}}}\n${more}`;

for (const [what, yaml, patterns] of [
  ['a file without the block, with what to write', 'identity: lab\n', [/no block expose\.agent\.mcp/, /mcp: \{\}/]],
  ['a block without a value', 'expose: {agent: {mcp: }}\n', [/no block expose\.agent\.mcp/, /has no value/]],
  ['a misspelt key of the block', lab('{prot: 1}'), [/expose\.agent\.mcp\.prot/, /Did you mean .*port/]],
  ['an unknown key anywhere', lab('{}', 'harnes: {}\n'), [/harnes/]],
  ['an identity that is no name', lab('{}').replace('lab', '"a b"'), [/identity/]],
  [
    'a mode of approval that is none',
    lab('{confirm_over_mcp: sometimes}'),
    [/sometimes/, /auto, always or never|always/],
  ],
  [
    'a negative number of commands at a time',
    lab('{max_concurrent_tools: -1}'),
    [/expose\.agent\.mcp\.max_concurrent_tools/],
  ],
  ['more commands at a time than there may be', lab('{max_concurrent_tools: 1025}'), [/1024/]],
  ['a time that is none', lab('{tool_timeout: soon}'), [/expose\.agent\.mcp\.tool_timeout/]],
  ['a built-in that may never be served', lab('{builtins: [memory_write]}'), [/memory_write/, /knowledge_search/]],
  ['built-ins without knowledge', lab('{builtins: [knowledge_search]}'), [/knowledge is off/]],
  [
    'built-ins, by name, since they come later',
    lab('{builtins: [knowledge_search]}', 'harness: {knowledge: {enabled: true}}\n'),
    [/expose\.agent\.mcp\.builtins is not available in this version of fisk mcp/],
  ],
  [
    'telemetry, since it comes later',
    lab('{}', 'telemetry: {enabled: true}\n'),
    [/telemetry\.enabled is not available/],
  ],
  ['a file without an application', 'expose: {agent: {mcp: {}}}\n', [/application_path is not set/]],
  ['filters that leave nothing', lab('{}', 'include: {tools: [zzz]}\n'), [/include and exclude of .*agent\.yaml/]],
  [
    'filters of what is exposed that leave nothing',
    lab('{}').replace('agent: {', 'agent: {tools: {include: {tools: [zzz]}}, '),
    [/none of the \d+ tools .*can be served over MCP: not included/],
  ],
  [
    'two commands that come to one tool',
    lab(
      '{}',
      '',
      tempScript(
        `#!/bin/sh\necho '{"name":"x","commands":[{"name":"a_b","help":"h","schema":{},"restricted_schema":{}},{"name":"a","commands":[{"name":"b","help":"h","schema":{},"restricted_schema":{}}]}]}'\n`,
        'app',
      ),
    ),
    [/"a_b" and "a b" both become the tool "a_b"/],
  ],
] as const) {
  test(`fisk mcp refuses ${what}`, async () => {
    const { code, stdout, stderr } = await mcp(yaml, '--check');
    assert.deepEqual([code, stdout], [1, ''], stderr);
    for (const pattern of patterns) assert.match(stderr, pattern);
  });
}

test('keys of other uses are checked and otherwise unused', async () => {
  const { code, stderr } = await mcp(
    lab('{}', 'llm: {model: x}\nmcp_servers: [{name: a, command: /bin/true}]\n').replace(
      'agent: {',
      'agent: {jobs: {}, a2a: {prompts: {}}, ',
    ),
    '--check',
  );
  assert.equal(code, 0, stderr);
});

test('what would be served is shown without answering anybody, and what is withheld with the reason', async () => {
  const { code, stdout, stderr } = await mcp(
    lab('{max_concurrent_tools: 0, tool_timeout: 0s}', 'harness: {human_in_the_loop: {enabled: true}}\n').replace(
      'agent: {',
      'agent: {tools: {exclude: {tools: [environment]}}, ',
    ),
    '--check',
  );
  assert.equal(code, 0, stderr);
  assert.match(stdout, /^Would serve lab\/devel over MCP:\n/);
  assert.match(stdout, /Concurrency: 2\n/);
  assert.match(stdout, /Tool Timeout: 30s\n/);
  assert.match(stdout, /Approvals: asked for; a client that cannot ask is refused\n +Need One: approved\n/);
  assert.match(stdout, /Exposed: echo\n/);
  assert.match(stdout, /Withheld: human-in-the-loop\n/);
  assert.match(stdout, /environment +excluded\n/);
  assert.match(stdout, /denied +tagged ai:deny\n/);
});

test('a port goes with no client that started us', async () => {
  for (const flag of ['--port=1', '--address=localhost']) {
    const { code, stderr } = await mcp(lab('{}'), '--stdio', flag);
    assert.equal(code, 1);
    assert.match(stderr, /^error: --stdio serves no port/);
    assert.match(stderr, /Usage: fisk mcp/);
  }
});
