import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as FirstClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as FirstTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { depot, fisk, startFisk } from '../support/fisk.ts';
import { freePort } from '../support/free-port.ts';
import { call, messagesOf, newer, openSession, post } from '../support/mcp-post.ts';
import type { Running } from '../support/run.ts';
import { tempDir, tempFile } from '../support/tmp.ts';
import { waitFor } from '../support/wait.ts';

const TOKEN = 'sixteen-or-more-characters';
const info = { name: 'test', version: '1' };

function config(mcp = '{}'): string {
  return tempFile('agent.yaml', `identity: depot\napplication_path: ${depot}\nexpose: {agent: {mcp: ${mcp}}}\n`);
}

/** The environment of a user with no settings of fisk's own, and parts of its own. */
function cleanEnv(more: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
  return { ...process.env, DEPOT_STORE: `${tempDir()}/parts.json`, ...more };
}

interface Daemon {
  readonly running: Running;
  readonly url: string;
  readonly port: number;
}

/** Starts `fisk mcp` on a free port, which `flags` may give in another way. */
async function started(
  t: TestContext,
  { mcp, env, flags }: { mcp?: string; env?: NodeJS.ProcessEnv; flags?: (port: number) => string[] } = {},
): Promise<Daemon> {
  const port = await freePort();
  const chosen = flags?.(port) ?? ['--port', String(port)];
  const running = await startFisk(['mcp', '--config', config(mcp), ...chosen], { env: cleanEnv(env) });
  t.after(() => running.stop('SIGKILL'));
  await running.printed(/Exposed:/);
  const url = /http:\/\/\S+/.exec(running.stderr())?.[0] ?? '';
  return { running, url, port };
}

test('both generations of clients list, call and are asked over HTTP, in every revision', async (t) => {
  const { running, url } = await started(t);
  const first = new FirstClient(info);
  await first.connect(new FirstTransport(new URL(url)) as Parameters<typeof first.connect>[0]);
  const { tools } = await first.listTools();
  assert.ok(tools.some(({ name }) => name === 'part_add'));
  const added = await first.callTool({ name: 'part_add', arguments: { name: 'bolt', count: 3 } });
  assert.deepEqual((added.structuredContent as { exit_code: number }).exit_code, 0);
  const unasked = await first.callTool({ name: 'close_clear', arguments: {} });
  assert.equal(unasked.isError, true, 'a client that cannot ask is refused');
  await first.close();

  for (const mode of ['legacy', { pin: '2026-07-28' }] as const) {
    const client = new Client(info, { capabilities: { elicitation: {} }, versionNegotiation: { mode } });
    const questions: string[] = [];
    client.setRequestHandler('elicitation/create', ({ params }) => {
      questions.push(params.message);
      return { action: 'accept', content: { approve: questions.length > 1 } };
    });
    await client.connect(new StreamableHTTPClientTransport(new URL(url)));
    assert.equal((await client.listTools()).tools.length, tools.length);
    const listed = await client.callTool({ name: 'part_ls', arguments: {} });
    assert.equal(listed.isError, undefined);
    const refused = await client.callTool({ name: 'close_clear', arguments: {} });
    assert.equal(refused.isError, true);
    const approved = await client.callTool({ name: 'close_clear', arguments: {} });
    assert.equal(approved.isError, undefined);
    assert.match(questions[0] ?? '', /close clear/);
    assert.equal(questions.length, 2);
    await client.close();
  }
  const { code, stdout } = await running.stop('SIGTERM');
  assert.deepEqual([code, stdout], [0, '']);
});

test('the flag wins over the variable and the variable over the file; 0 is no port', async (t) => {
  const [file, variable] = [await freePort(), await freePort()];
  const env = { FISK_AI_MCP_PORT: String(variable), FISK_AI_MCP_ADDRESS: '127.0.0.1' };
  const mcp = `{port: ${file}, address: 192.0.2.1}`;
  const byFlag = await started(t, { mcp, env, flags: (port) => ['--port', String(port), '--address', 'localhost'] });
  assert.equal(byFlag.url, `http://localhost:${byFlag.port}/`);
  const byVariable = await started(t, { mcp, env, flags: () => [] });
  assert.equal(byVariable.url, `http://127.0.0.1:${variable}/`);
  const byFile = await started(t, {
    mcp: `{port: ${file}}`,
    env: { FISK_AI_MCP_PORT: '0' },
    flags: () => ['--port', '0'],
  });
  assert.equal(byFile.url, `http://127.0.0.1:${file}/`);
});

test('what cannot be listened on is one clear error', async (t) => {
  const { port } = await started(t);
  for (const [flags, why] of [
    [['--port', String(port)], /FISK_MCP_ADDRESS.*|the address is in use/],
    [['--address', 'no-such-host.invalid'], /the host name/],
    [['--address', '0.0.0.0'], /expose\.agent\.mcp\.token_env/],
  ] as const) {
    const { code, stdout, stderr } = await fisk(['mcp', '--config', config(), ...flags], { env: cleanEnv() });
    assert.deepEqual([code, stdout], [1, '']);
    assert.match(stderr, why);
  }
});

test('beyond loopback the token of the variable is asked for, and no command sees it', async (t) => {
  const mcp = '{address: 0.0.0.0, token_env: DEPOT_MCP_TOKEN}';
  const missing = await fisk(['mcp', '--config', config(mcp)], { env: cleanEnv() });
  assert.equal(missing.code, 1);
  assert.match(missing.stderr, /names DEPOT_MCP_TOKEN, which is not set/);
  const { url, running } = await started(t, { mcp, env: { DEPOT_MCP_TOKEN: TOKEN } });
  assert.match(url, /^http:\/\/localhost:/, 'an address that a client can use');
  assert.equal((await fetch(url, { method: 'POST' })).status, 401);
  assert.equal((await fetch(`${url}healthz`)).status, 200);
  const headers = { Authorization: `Bearer ${TOKEN}` };
  const answer = await newer(url, call(1, 'part_ls'), { headers });
  assert.equal(answer.status, 200);
  assert.doesNotMatch(await answer.text(), new RegExp(TOKEN));
  const { stderr } = await running.stop('SIGTERM');
  assert.doesNotMatch(stderr, new RegExp(TOKEN));
});

test('calls that run when the daemon is told to leave are answered on their own streams, and it ends with 0', async (t) => {
  const { running, url } = await started(t);
  const session = await openSession(url);
  const older = await post(url, call(1, 'stock_report', { seconds: 60 }), { session });
  const newest = await newer(url, call(2, 'stock_report', { seconds: 60 }));
  const listener = await fetch(url, { headers: { Accept: 'text/event-stream', 'Mcp-Session-Id': session } });
  await new Promise((resolve) => setTimeout(resolve, 500));
  const began = performance.now();
  const [{ code }, ...answers] = await Promise.all([running.stop('SIGTERM'), messagesOf(older), messagesOf(newest)]);
  assert.equal(code, 0);
  for (const answer of answers)
    assert.match(JSON.stringify(answer), /"isError":true.*interrupted|interrupted.*"isError":true/);
  assert.equal(await listener.text(), '');
  assert.ok(performance.now() - began < 15_000);
});

test('a call of an older revision survives its connection; one of the newest is ended with it', async (t) => {
  const { running, url } = await started(t, { mcp: '{max_concurrent_tools: 4}' });
  const session = await openSession(url);
  const name = 'stock_report';
  const older = new AbortController();
  await post(url, call(1, name, { seconds: 2 }), { session, signal: older.signal });
  const newest = new AbortController();
  await newer(url, call(1, name, { seconds: 60 }), { signal: newest.signal });
  await new Promise((resolve) => setTimeout(resolve, 500));
  older.abort();
  newest.abort();
  for (const end of [/"connection".*"code":"cancelled"/, /"session".*"exit_code":0/])
    await waitFor(() => end.test(running.stderr()), { timeout: 15_000, what: () => `${end} in ${running.stderr()}` });
});
