import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { test } from 'node:test';
import { openHost } from '../../src/host/index.ts';
import { createLogger } from '../../src/observe/index.ts';
import { daemonConfig } from '../support/daemon.ts';
import { startNatsServer } from '../support/nats-server.ts';
import { tempDir, tempFile, tempScript } from '../support/tmp.ts';
import { waitFor, waitGone } from '../support/wait.ts';

const log = createLogger({ level: 'info', format: 'json', destination: { write: () => true } });
const DEAD = 'nats://127.0.0.1:1';

function open(application: string, url: string, env: NodeJS.ProcessEnv = process.env, yaml = '') {
  const { config } = daemonConfig({ url, application, yaml });
  return openHost({ config, env, servers: [url], connectionName: 'test', log });
}

test('of two failures the one that the file alone explains is told', async () => {
  await assert.rejects(open('/nowhere/app', DEAD), { code: 'FISK_APPLICATION_NOT_FOUND' });
});

test('an application that is still being asked is ended when the connection fails', async (t) => {
  const mark = tempFile('pid', '');
  const slow = tempScript(`#!/bin/sh\necho $$ > ${mark}\nexec sleep 60\n`);
  // Takes connections and hangs up without a greeting, once the application has been started.
  const mute = createServer((socket) => setTimeout(() => socket.destroy(), 500)).listen(0, '127.0.0.1');
  t.after(() => mute.close());
  await new Promise((resolve) => mute.once('listening', resolve));
  const { port } = mute.address() as { port: number };
  const opening = open(slow, `nats://127.0.0.1:${port}`);
  const pid = await waitFor(() => Number(readFileSync(mark, 'utf8')) || undefined, { what: 'the introspection' });
  await assert.rejects(opening, { code: 'FISK_NATS_CONNECT' });
  await waitGone(pid);
});

test('a connection is closed again when the application fails', async (t) => {
  const server = await startNatsServer({ config: 'debug: true' });
  t.after(() => server.stop());
  const late = tempScript('#!/bin/sh\nsleep 1\necho nothing of use\n');
  await assert.rejects(open(late, server.url), { code: 'FISK_APPLICATION_DOCUMENT' });
  await waitFor(() => /fisk-ai test".*Client connection closed/.test(server.log()), { what: 'the connection to go' });
});

test('the application is asked for its commands without any credential of ours, and in our own directory', async (t) => {
  const server = await startNatsServer();
  t.after(() => server.stop());
  const seen = tempFile('seen', '');
  const application = tempScript(
    `#!/bin/sh\n{ env; pwd; } > ${seen}\necho '{"name":"a","help":"","version":"1","commands":[]}'\n`,
  );
  const env = {
    PATH: process.env['PATH'],
    ANTHROPIC_API_KEY: 'secret-1',
    OTEL_EXPORTER_OTLP_LOGS_HEADERS: 'secret-2',
    EMBEDDINGS: 'secret-3',
    REFERENCED: 'secret-4',
    ANTHROPIC_PROFILE: 'kept-1',
    OTHER: 'kept-2',
  };
  const yaml = `harness: {knowledge: {enabled: true, embeddings: {api_key_env: EMBEDDINGS}}}
mcp_servers: [{name: m, url: "https://x/\${REFERENCED}"}]`;
  const host = await open(application, server.url, env, yaml);
  await host.close();
  const text = readFileSync(seen, 'utf8');
  assert.doesNotMatch(text, /secret/);
  for (const kept of ['kept-1', 'kept-2', 'FISK_AI=1', 'LLMFORMAT=1']) assert.ok(text.includes(kept), kept);
  assert.ok(text.endsWith(`\n${process.cwd()}\n`));
});

test('whoever gives up opening waits for no server that stays silent', async (t) => {
  const sockets: Socket[] = [];
  const silent = createServer((socket) => sockets.push(socket)).listen(0, '127.0.0.1');
  t.after(() => {
    silent.close();
    for (const socket of sockets) socket.destroy();
  });
  await new Promise((resolve) => silent.once('listening', resolve));
  const { port } = silent.address() as { port: number };
  const url = `nats://127.0.0.1:${port}`;
  const { config } = daemonConfig({ url });
  const signal = AbortSignal.timeout(200);
  const started = performance.now();
  const opening = openHost({ config, env: process.env, servers: [url], connectionName: 'test', log, signal });
  await assert.rejects(opening, { name: 'TimeoutError' });
  assert.ok(performance.now() - started < 2_000);
});

test('whoever gives up opening waits for no helper of a context, and leaves none', async () => {
  const home = tempDir();
  const mark = tempFile('pid', '');
  tempFile('nats/context/unused.json', JSON.stringify({ nsc: 'nsc://a/b/c' }), home);
  tempScript(`#!/bin/sh\necho $$ > ${mark}\nexec sleep 60\n`, 'nsc', home);
  const { config } = daemonConfig({ url: '' });
  const env = { PATH: `${home}:${process.env['PATH']}`, XDG_CONFIG_HOME: home };
  const stop = new AbortController();
  const opening = openHost({ config, env, connectionName: 'test', log, signal: stop.signal });
  const pid = await waitFor(() => Number(readFileSync(mark, 'utf8')) || undefined, { what: 'nsc' });
  stop.abort();
  const started = performance.now();
  await assert.rejects(opening);
  assert.ok(performance.now() - started < 5_000);
  await waitGone(pid);
});
