import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import schema from '../../config/fisk.schema.json' with { type: 'json' };
import { withKeyTables } from '../../scripts/config-reference.ts';
import { parseSource } from '../../src/config/document.ts';
import { loadConfig, Pattern, parseDuration } from '../../src/config/index.ts';
import { ProblemList } from '../../src/config/problems.ts';
import { Reading } from '../../src/config/reading.ts';
import { applyRenames } from '../../src/config/renames.ts';
import { keyText, schemaKeys } from '../../src/config/schema.ts';
import { ANNOTATIONS } from '../../src/config/schema-check.ts';
import { projectDir } from '../support/source.ts';
import { config } from './support.ts';

const keys = [...schemaKeys()];

test('the schema obeys the rules for schemas, with no word that nothing reads', () => {
  const ajv = new Ajv2020({ strict: true });
  ajv.addVocabulary([...ANNOTATIONS, 'x-duration', 'x-pattern']);
  assert.doesNotThrow(() => ajv.compile(schema));
});

test('every block refuses keys it does not know, but for the options of a backend', () => {
  const open = keys.filter(({ node }) => node.properties !== undefined && node.additionalProperties !== false);
  assert.deepEqual(
    open.map(({ path }) => keyText(path)),
    ['harness.memory.options', 'harness.sessions.options'],
  );
});

test('every key has a type, a description, and commands that read it', () => {
  for (const { path, node, commands } of keys) {
    const key = keyText(path);
    assert.ok(node.type !== undefined, key);
    assert.ok(node.description?.endsWith('.'), key);
    const block = node.properties !== undefined && path[0] === 'expose';
    assert.ok(commands !== '' || block, key);
  }
});

test('every default is a value the key accepts, and a file without keys has it', () => {
  const read = config(
    'expose: {agent: {mcp: {}, jobs: {}, a2a: {prompts: {}}}}\nharness: {knowledge: {embeddings: {}}}',
  );
  const values = JSON.stringify(read);
  for (const { path, node } of keys) {
    if (node.default !== undefined && node.default !== '' && !path.includes('[]')) {
      const wanted = node['x-duration'] === undefined ? node.default : parseDuration(String(node.default));
      assert.ok(values.includes(JSON.stringify(wanted)), keyText(path));
    }
  }
  assert.deepEqual(
    [read.llm.budget.maxTokens, read.llm.budget.maxIterations, read.llm.budget.callTimeoutMs, read.llm.provider],
    [500_000, 50, 120_000, 'anthropic'],
  );
  assert.deepEqual(read.expose.jobs, {
    queue: 'FISK_AI',
    taskType: 'fisk-ai:run',
    workers: 1,
    workersTyped: false,
    maxPayloadBytes: 524_288,
  });
  assert.deepEqual(read.expose.a2a, {
    present: true,
    serveTools: false,
    maxConcurrentTools: 0,
    toolTimeoutMs: 30_000,
    requestTimeoutMs: 120_000,
    prompts: { workers: 1, elicit: false },
  });
  assert.deepEqual(read.expose.mcp, {
    port: 8080,
    address: '127.0.0.1',
    confirmOverMcp: 'always',
    builtins: [],
    maxConcurrentTools: 2,
    toolTimeoutMs: 30_000,
    allowedOrigins: [],
    allowedHosts: [],
  });
  assert.equal(read.harness.toolTimeoutMs, 300_000);
});

test('exactly the keys that other implementations refuse are marked as ours', () => {
  const ours = keys.filter(({ ours: own, path }) => own && path[0] !== 'mcp_servers').map(({ path }) => keyText(path));
  assert.deepEqual(ours, [
    'llm.budget.max_cost',
    'llm.prices',
    'llm.prices.input',
    'llm.prices.output',
    'llm.prices.cache_read',
    'llm.prices.cache_write',
    'harness.pii.checks',
    'expose.agent.mcp.token_env',
    'expose.agent.mcp.allowed_origins',
    'expose.agent.mcp.allowed_hosts',
  ]);
});

test('the reference lists exactly the keys of the schema, with their types and defaults', () => {
  const page = readFileSync(join(projectDir, 'docs/configuration.md'), 'utf8');
  const rows = [...page.matchAll(/^\| `([a-z_[\].0-9]+)` \| ([a-z ]+) \| ([^|]+) \| /gm)].filter(
    ([row]) => row.split('|').length >= 5,
  );
  const types = new Map([
    ['string', 'text'],
    ['integer', 'whole number'],
    ['boolean', 'true or false'],
    ['number', 'number'],
    ['array', 'list of '],
    ['object', ''],
  ]);
  const section = page.slice(page.indexOf('## Keys'), page.indexOf('## Flags and variables'));
  const listed = rows
    .filter(([row]) => section.includes(row))
    .map(([, key = '', type = '', value = '']) => ({ key, type, value }));
  assert.deepEqual(listed.map(({ key }) => key).toSorted(), keys.map(({ path }) => keyText(path)).toSorted());
  for (const { path, node } of keys) {
    const row = listed.find(({ key }) => key === keyText(path));
    const type = node['x-duration'] === undefined ? types.get(String(node.type)) : 'duration';
    assert.ok(row !== undefined, keyText(path));
    assert.ok(row.type.startsWith(String(type)), `${row.key}: ${row.type}`);
    const value =
      node['x-default'] ?? (node.default === undefined || node.default === '' ? 'none' : `\`${node.default}\``);
    assert.equal(row.value, value, row.key);
  }
  assert.equal(withKeyTables(page), page, 'run "npm run docs"');
});

test('every ready example is a valid file for the command it names', () => {
  const folder = join(projectDir, 'config');
  const examples = readdirSync(folder).filter((name) => name.endsWith('.yaml'));
  assert.deepEqual(examples.toSorted(), ['caller.yaml', 'mcp.yaml', 'tools.yaml']);
  for (const name of examples) {
    const path = join(folder, name);
    const text = readFileSync(path, 'utf8');
    const mode = text.includes('fisk serve') ? 'serve' : text.includes('fisk mcp') ? 'mcp' : 'lenient';
    const { config: read, notices } = loadConfig({ path, mode, env: {} });
    assert.deepEqual(notices, []);
    assert.ok(read.identityNamed);
    assert.ok(text.includes(`--config ${name}`), `${name}: shows how it is used`);
    assert.ok(text.includes('$schema=./fisk.schema.json'), `${name}: names its schema for editors`);
  }
  const served = loadConfig({ path: join(folder, 'tools.yaml'), mode: 'serve', env: {} }).config;
  assert.ok(served.expose.a2a.serveTools);
  assert.ok(served.include.tools.every((pattern) => pattern instanceof Pattern));
  const { expose, harness } = loadConfig({ path: join(folder, 'mcp.yaml'), mode: 'mcp', env: {} }).config;
  assert.ok(expose.mcp !== undefined && harness.confirmTags.length > 0);
});

test('a former name of a key still counts, with a warning, but not beside the new one', () => {
  const read = (text: string) => {
    const problems = new ProblemList();
    const notices: string[] = [];
    const { source, document } = parseSource('agent.yaml', text, problems, notices);
    assert.ok(document !== undefined);
    applyRenames(document, source, notices, problems, { 'old.place': 'expose.agent.a2a', name: 'identity' });
    return { data: new Reading(document).data, notices, problems };
  };
  const moved = read('name: a\nold: {place: {serve_tools: true}}\n');
  assert.equal(JSON.stringify(moved.data['identity']), '"a"');
  assert.equal(JSON.stringify(moved.data['expose']), '{"agent":{"a2a":{"serve_tools":true}}}');
  assert.deepEqual(moved.notices.toSorted(), [
    'agent.yaml:1:1: name is now called identity; the old name will go away',
    'agent.yaml:2:7: old.place is now called expose.agent.a2a; the old name will go away',
  ]);
  const both = read('name: a\nidentity: b\n');
  assert.throws(
    () => both.problems.throwIfAny(),
    /agent.yaml:1:1: name is the former name of identity, and both are given/,
  );
});
