import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { depot, fisk, startFisk } from '../support/fisk.ts';
import { freePort } from '../support/free-port.ts';
import { tempDir, tempFile } from '../support/tmp.ts';

const info = { name: 'test', version: '1' };

test('what a client pastes starts the server from anywhere, and leads to the one that runs', async (t) => {
  const port = await freePort();
  const yaml = `identity: depot\napplication_path: ${depot}\nexpose: {agent: {mcp: {port: ${port}}}}\n`;
  const config = tempFile('agent.yaml', yaml);
  const { code, stdout, stderr } = await fisk(['mcp', '--describe', '--config', config]);
  assert.equal(code, 0, stderr);
  const { clients } = JSON.parse(stdout);

  const { command, args } = clients.other.stdio.mcpServers.depot;
  const started = new Client(info);
  // As clients do it: another directory, and an environment with next to nothing.
  const transport = new StdioClientTransport({ command, args, cwd: tempDir(), env: {}, stderr: 'ignore' });
  await started.connect(transport);
  const { tools } = await started.listTools();
  assert.ok(tools.some(({ name }) => name === 'part_ls'));
  await started.close();

  const running = await startFisk(['mcp', '--config', config]);
  t.after(() => running.stop());
  await running.printed(/Exposed:/);
  const reached = new Client(info);
  await reached.connect(new StreamableHTTPClientTransport(new URL(clients.other.http.mcpServers.depot.url)));
  assert.deepEqual((await reached.listTools()).tools, tools);
  await reached.close();
});
