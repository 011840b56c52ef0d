// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the references of the clients are written so
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { Ajv } from 'ajv';
import { main } from '../../src/cli/index.ts';
import { fixture, tempFile, tempScript } from '../support/tmp.ts';
import { memoryTerminal } from './memory-terminal.ts';

// The draft one of the Go module github.com/modelcontextprotocol/registry v1.8.9, as it is.
const schema = JSON.parse(readFileSync(join(import.meta.dirname, 'server.schema.json'), 'utf8'));
const ajv = new Ajv({ strict: false, formats: { uri: (text: string) => URL.canParse(text) } });
const valid = ajv.compile(schema);

interface Described {
  server: Record<string, unknown> & { description: string };
  clients: Record<string, { client: string; file: string; stdio: unknown; http?: unknown }>;
}

async function describe(yaml: string, ...flags: string[]) {
  const terminal = memoryTerminal();
  const config = tempFile('agent.yaml', yaml);
  const env = { PATH: process.env['PATH'] };
  const code = await main(['mcp', '--describe', '--config', config, ...flags], terminal, env);
  const [stdout, stderr] = [terminal.stdout(), terminal.stderr()];
  return { code, stdout, stderr, config, described: () => JSON.parse(stdout) as Described };
}

const agent = ({ mcp = '{}', identity = 'lab', application = fixture('lab.sh') } = {}) =>
  `identity: ${identity}\napplication_path: ${application}\nexpose: {agent: {mcp: ${mcp}}}\n`;

/** An application with one command that says that of itself. */
function saying(help: string): string {
  const leaf = { name: 'a', help: '', schema: { type: 'object' }, restricted_schema: { type: 'object' } };
  const document = tempFile('document.json', JSON.stringify({ name: 'app', help, commands: [leaf] }));
  return tempScript(`#!/bin/sh\nexec cat ${document}\n`);
}

test('the schema is the one that server.json names, and it can fail', async () => {
  const { described } = await describe(agent(), '--registry-name', 'io.github.someone/lab');
  const { server } = described();
  assert.equal(server['$schema'], schema.$id);
  assert.equal(valid(server), true, ajv.errorsText(valid.errors));
  assert.equal(valid({ ...server, name: 'no-slash' }), false);
  assert.equal(valid({ ...server, description: 'x'.repeat(101) }), false);
});

for (const [what, yaml, expected] of [
  ['what an application says of itself', agent({ application: saying('Keeps parts') }), { description: 'Keeps parts' }],
  ['an application that says nothing', agent({ application: saying('') }), { description: 'The commands of app' }],
  [
    'a long description, cut at a word',
    agent({ application: saying(`${'word '.repeat(19)}long-one ${'word '.repeat(9)}`) }),
    { description: `${'word '.repeat(19).trim()}…` },
  ],
  [
    'one without a word to cut at, in whole characters',
    agent({ application: saying('🦊'.repeat(101)) }),
    { description: `${'🦊'.repeat(99)}…` },
  ],
  [
    'one with characters that move a terminal',
    agent({ application: saying('Keeps\u001b[31m\n parts\u202e') }),
    { description: 'Keeps parts' },
  ],
  [
    'an identity longer than a title and a name may be',
    agent({ identity: 'x'.repeat(250) }),
    { title: `${'x'.repeat(99)}…`, name: `com.example/${'x'.repeat(188)}` },
  ],
] as const) {
  test(`server.json validates with ${what}`, async () => {
    const { code, stderr, described } = await describe(yaml);
    assert.equal(code, 0, stderr);
    const { server } = described();
    assert.equal(valid(server), true, ajv.errorsText(valid.errors));
    for (const [key, value] of Object.entries(expected)) assert.equal(server[key], value);
  });
}

test('stdout is one document, and a name that nobody chose is told on stderr', async () => {
  const { stdout, stderr, described } = await describe(agent());
  assert.equal(stdout.trimEnd().split('\n').length, 1);
  assert.deepEqual(Object.keys(described()), ['server', 'clients']);
  assert.equal(described().server['name'], 'com.example/lab');
  assert.match(stderr, /com\.example\/lab is a placeholder.*--registry-name/);
  const named = await describe(agent(), '--registry-name', 'io.github.someone/lab');
  assert.equal(named.stderr, '');
  assert.equal(named.described().server['name'], 'io.github.someone/lab');
});

for (const name of ['lab', 'a/b/c', '/lab', 'io.github.someone/', 'io github/lab', 'under_score/lab', 'a/lab\n']) {
  test(`the registry name ${JSON.stringify(name)} is refused`, async () => {
    const { code, stdout, stderr } = await describe(agent(), '--registry-name', name);
    assert.deepEqual([code, stdout], [1, '']);
    assert.match(stderr, /--registry-name takes a name such as io\.github\.someone\/lab/);
  });
}

test('flags that cannot go together are refused', async () => {
  for (const flag of ['--stdio', '--check']) {
    const { code, stdout, stderr } = await describe(agent(), flag);
    assert.deepEqual([code, stdout], [1, '']);
    assert.match(stderr, /--describe/);
  }
  const terminal = memoryTerminal();
  const config = tempFile('agent.yaml', agent());
  assert.equal(await main(['mcp', '--check', '--registry-name', 'a/b', '--config', config], terminal, {}), 1);
  assert.match(terminal.stderr(), /--registry-name goes with --describe/);
});

test('what would not start is not described', async () => {
  for (const [yaml, reason] of [
    ['identity: lab\n', /no block expose\.agent\.mcp/],
    ['identity: lab\nexpose: {agent: {mcp: {}}}\n', /application_path is not set/],
    [`${agent()}    tools: {include: {tools: ["^none$"]}}\n`, /./],
  ] as const) {
    const { code, stdout, stderr } = await describe(yaml);
    assert.deepEqual([code, stdout], [1, '']);
    assert.match(stderr, reason);
  }
});

test('a server with a token is one at an address that whoever installs it fills in', async () => {
  const { described } = await describe(agent({ mcp: '{address: 0.0.0.0, token_env: LAB_TOKEN}' }));
  const { server } = described();
  assert.equal(valid(server), true, ajv.errorsText(valid.errors));
  const [remote] = server['remotes'] as { url: string; headers: { name: string; value: string }[] }[];
  assert.equal(remote?.url, '{url}');
  assert.deepEqual(
    remote?.headers.map(({ name, value }) => [name, value]),
    [['Authorization', 'Bearer {token}']],
  );
});

test('each client gets the form of its own, with whole paths', async () => {
  const { described, config } = await describe(agent());
  const started = {
    command: process.execPath,
    args: [resolve(process.argv[1] ?? ''), 'mcp', '--stdio', '--config', config],
  };
  const url = 'http://127.0.0.1:8080/';
  const forms = Object.entries(described().clients).map(([name, { stdio, http }]) => [name, stdio, http]);
  assert.deepEqual(forms, [
    [
      'claude-code',
      { mcpServers: { lab: { type: 'stdio', ...started } } },
      { mcpServers: { lab: { type: 'http', url } } },
    ],
    ['claude-desktop', { mcpServers: { lab: started } }, undefined],
    ['cursor', { mcpServers: { lab: started } }, { mcpServers: { lab: { url } } }],
    ['gemini-cli', { mcpServers: { lab: started } }, { mcpServers: { lab: { httpUrl: url } } }],
    ['jetbrains', { mcpServers: { lab: started } }, { mcpServers: { lab: { url } } }],
    ['vscode', { servers: { lab: { type: 'stdio', ...started } } }, { servers: { lab: { type: 'http', url } } }],
    ['windsurf', { mcpServers: { lab: started } }, { mcpServers: { lab: { serverUrl: url } } }],
    ['zed', { context_servers: { lab: started } }, { context_servers: { lab: { url } } }],
    ['other', { mcpServers: { lab: started } }, { mcpServers: { lab: { type: 'http', url } } }],
  ]);
});

test('a token is named by its variable where the client can read one, and never printed', async () => {
  process.env['LAB_TOKEN'] = 'sixteen-or-more-characters';
  const { described, stdout } = await describe(agent({ mcp: '{address: "::", port: 9000, token_env: LAB_TOKEN}' }));
  delete process.env['LAB_TOKEN'];
  assert.doesNotMatch(stdout, /sixteen-or-more/);
  const { clients } = described();
  const headers = Object.entries(clients).flatMap(([name, { http }]) => {
    const [servers] = Object.values(http ?? {}).filter((value) => !Array.isArray(value));
    const entry = servers?.lab as { headers: { Authorization: string } } | undefined;
    return entry === undefined ? [] : [[name, entry.headers.Authorization]];
  });
  assert.deepEqual(headers, [
    ['claude-code', 'Bearer ${LAB_TOKEN}'],
    ['cursor', 'Bearer ${env:LAB_TOKEN}'],
    ['gemini-cli', 'Bearer ${LAB_TOKEN}'],
    ['jetbrains', 'Bearer PUT-THE-TOKEN-HERE'],
    ['vscode', 'Bearer ${input:LAB_TOKEN}'],
    ['windsurf', 'Bearer ${env:LAB_TOKEN}'],
    ['zed', 'Bearer PUT-THE-TOKEN-HERE'],
    ['other', 'Bearer PUT-THE-TOKEN-HERE'],
  ]);
  assert.deepEqual(clients['vscode']?.http, {
    inputs: [{ type: 'promptString', id: 'LAB_TOKEN', description: 'The token in LAB_TOKEN', password: true }],
    servers: {
      lab: { type: 'http', url: 'http://localhost:9000/', headers: { Authorization: 'Bearer ${input:LAB_TOKEN}' } },
    },
  });
});
