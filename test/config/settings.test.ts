import assert from 'node:assert/strict';
import { test } from 'node:test';
import { telemetryVeto } from '../../src/config/index.ts';
import { config, problems } from './support.ts';

const MCP = 'expose: {agent: {mcp: {port: 1111}}}';
const flags = { port: undefined, address: undefined };

test('a typed flag comes before a variable, a variable before the file, the file before the default', () => {
  const env = { FISK_AI_MCP_PORT: '2222' };
  const port = (text: string, request: object) => config(text, request).expose.mcp?.port;
  assert.equal(port(MCP, { env, flags: { port: '3333' } }), 3333);
  assert.equal(port(MCP, { env, flags }), 2222);
  assert.equal(port(MCP, { env: { FISK_AI_MCP_PORT: '' }, flags }), 1111);
  assert.equal(port('expose: {agent: {mcp: {}}}', { flags }), 8080);
});

test('a variable of a flag that the command does not have is not read', () => {
  assert.equal(config(MCP, { env: { FISK_AI_MCP_PORT: 'nonsense' } }).expose.mcp?.port, 1111);
});

test('a flag or variable never makes a block present', () => {
  assert.equal(
    config('', { env: { FISK_AI_MCP_PORT: '2222' }, flags: { ...flags, workers: '3' } }).expose.mcp,
    undefined,
  );
});

test('a flag or variable that cannot be is refused by its own name', () => {
  for (const [request, where, rule] of [
    [{ flags, env: { FISK_AI_MCP_PORT: '80x' } }, 'FISK_AI_MCP_PORT', /whole number, not the text "80x"/],
    [{ flags: { port: '65536' } }, '--port', /from 0 to 65535; it is 65536/],
    [{ flags: { workers: '0' } }, '--workers', /not below 1; it is 0/],
    [{ flags: { workers: '1.5' } }, '--workers', /whole number/],
    [{ flags: { identity: 'a b' } }, '--identity', /queue group/],
  ] as const) {
    const [problem] = problems('expose: {agent: {jobs: {}}}', request);
    assert.equal(problem?.where, where);
    assert.match(problem.rule, rule);
  }
});

test('the number of workers says where it came from', () => {
  const text = 'expose: {agent: {jobs: {workers: 2}}}';
  const of = (request: object) => config(text, request).expose.jobs;
  assert.deepEqual([of({})?.workers, of({})?.workersTyped], [2, false]);
  assert.deepEqual(
    [of({ flags: { workers: '4' } })?.workers, of({ flags: { workers: '4' } })?.workersTyped],
    [4, true],
  );
});

test('the state directory replaces the one of the file backend, and cannot go with another backend', () => {
  const text = 'harness: {sessions: {options: {directory: old, other: kept}}}';
  assert.deepEqual(
    { ...config(text, { flags: { 'state-dir': '/new' } }).harness.sessions.options },
    { directory: '/new', other: 'kept' },
  );
  const [problem] = problems('harness: {sessions: {backend: jetstream}}', { flags: { 'state-dir': '/new' } });
  assert.equal(`${problem?.where} ${problem?.key}`, '--state-dir harness.sessions.backend');
  assert.match(String(problem?.rule), /"jetstream"/);
});

test('this process and its environment have no say in what is read', () => {
  process.argv.push('--port', '9');
  process.env['FISK_AI_MCP_PORT'] = '9';
  try {
    assert.equal(config(MCP, { flags }).expose.mcp?.port, 1111);
  } finally {
    process.argv.splice(-2);
    delete process.env['FISK_AI_MCP_PORT'];
  }
});

test('telemetry is vetoed generously by its variable, then by the flag, then by the SDK switch', () => {
  for (const text of ['1', 'yes', 'anything', ' true '])
    assert.equal(telemetryVeto({ NO_TELEMETRY: text }, true), 'NO_TELEMETRY');
  for (const text of ['', '  ', '0', 'false', 'FALSE', ' F '])
    assert.equal(telemetryVeto({ NO_TELEMETRY: text }, false), undefined);
  assert.equal(telemetryVeto({ OTEL_SDK_DISABLED: 'true' }, true), '--no-telemetry');
  assert.equal(telemetryVeto({ OTEL_SDK_DISABLED: 'true' }, false), 'OTEL_SDK_DISABLED');
  assert.equal(telemetryVeto({ OTEL_SDK_DISABLED: 'yes' }, false), undefined);
});
