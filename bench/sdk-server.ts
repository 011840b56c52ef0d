/**
 * What fisk mcp is compared with: the hello-world server of the TypeScript SDK, with a tool `run` that starts a program by
 * child_process and gives its output.
 *
 *   node bench/sdk-server.ts PROGRAM         over standard streams
 *   node bench/sdk-server.ts PROGRAM PORT    over HTTP
 */
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { promisify } from 'node:util';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';

const [program = '', port] = process.argv.slice(2);
const start = promisify(execFile);

function helloWorld(): McpServer {
  const server = new McpServer({ name: 'hello-world', version: '1.0.0' });
  server.registerTool('run', { description: 'Prints one line', inputSchema: {} }, async () => {
    const { stdout } = await start(program, ['run']);
    return { content: [{ type: 'text', text: stdout }] };
  });
  return server;
}

if (port === undefined) {
  await helloWorld().connect(new StdioServerTransport());
} else {
  const sessions = new Map<string, StreamableHTTPServerTransport>();
  createServer(async (request, response) => {
    const session = request.headers['mcp-session-id'];
    let transport = typeof session === 'string' ? sessions.get(session) : undefined;
    if (transport === undefined) {
      const made = new StreamableHTTPServerTransport({
        sessionIdGenerator: randomUUID,
        onsessioninitialized: (id) => void sessions.set(id, made),
      });
      await helloWorld().connect(made as Parameters<McpServer['connect']>[0]);
      transport = made;
    }
    await transport.handleRequest(request, response);
  }).listen(Number(port), '127.0.0.1', () => console.error('ready'));
}
