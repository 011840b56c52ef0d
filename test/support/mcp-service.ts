/** A small service to serve over MCP in tests of the way in: its tools do in this process what the front has to bear. */
import type { TestContext } from 'node:test';
import { Server } from '@modelcontextprotocol/server';
import { pino } from 'pino';
import type { McpClient, McpService } from '../../src/mcp/contract.ts';
import { type McpHttp, type McpHttpOptions, startMcpHttp } from '../../src/mcp/http/index.ts';

/** What the service saw. */
export interface Seen {
  /** One for each server that was made. */
  readonly clients: McpClient[];
  /** Names of the waiting calls that were cancelled. */
  readonly cancelled: string[];
  /** Names of the calls that wait. */
  readonly waiting: Set<string>;
  /** Replies to the questions of `ask`, by the name of the call. */
  readonly replies: Map<string, string>;
}

const names = ['echo', 'ask', 'wait', 'big', 'tick'];

/**
 * Tools: `echo` gives back `text`; `ask` asks the client; `wait` waits to be cancelled, or for the end; `big` gives `size`
 * characters; `tick` reports progress `count` times.
 */
export function smallService(): { readonly service: McpService; readonly seen: Seen } {
  const seen: Seen = { clients: [], cancelled: [], waiting: new Set(), replies: new Map() };
  const ends = new Set<() => void>();
  const createServer = (client: McpClient) => {
    seen.clients.push(client);
    const server = new Server({ name: 'small', version: '1' }, { capabilities: { tools: {} } });
    server.setRequestHandler('tools/list', () => ({
      tools: names.map((name) => ({ name, inputSchema: { type: 'object' as const } })),
    }));
    server.setRequestHandler('tools/call', async ({ params }, { mcpReq }) => {
      const args = (params.arguments ?? {}) as { name?: string; text?: string; size?: number; count?: number };
      const name = String(args.name);
      switch (params.name) {
        case 'echo':
          return said(String(args.text));
        case 'big':
          return said('x'.repeat(args.size ?? 0));
        case 'tick': {
          const progressToken = mcpReq._meta?.progressToken ?? 0;
          for (let progress = 1; progress <= (args.count ?? 0); progress++)
            await mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress } });
          return said('ticked');
        }
        case 'ask': {
          const requestedSchema = { type: 'object' as const, properties: { approve: { type: 'boolean' as const } } };
          const { action, content } = await mcpReq.send({
            method: 'elicitation/create',
            params: { message: `about ${name}`, requestedSchema },
          });
          seen.replies.set(name, action);
          return said(JSON.stringify({ action, content }));
        }
        case 'wait': {
          const how = await new Promise<string>((resolve) => {
            seen.waiting.add(name);
            const end = () => resolve('interrupted');
            ends.add(end);
            mcpReq.signal.addEventListener('abort', () => resolve('cancelled'));
          });
          seen.waiting.delete(name);
          if (how === 'cancelled') seen.cancelled.push(name);
          return { ...said(how), isError: true };
        }
        default:
          throw new Error('no such tool');
      }
    });
    return server;
  };
  const drain = async () => {
    for (const end of ends) end();
    await new Promise((resolve) => setImmediate(resolve));
  };
  const service = {
    createServer,
    drain,
    get inFlight() {
      return seen.waiting.size;
    },
  };
  return { service, seen };
}

function said(text: string) {
  return { content: [{ type: 'text' as const, text }] };
}

/** Serves the small service on loopback until the test ends. */
export async function served(
  t: TestContext,
  options: Partial<McpHttpOptions> = {},
): Promise<{ readonly http: McpHttp; readonly seen: Seen; readonly logged: Record<string, unknown>[] }> {
  const { service, seen } = smallService();
  const logged: Record<string, unknown>[] = [];
  const log = pino({ level: 'info', base: null }, { write: (line: string) => void logged.push(JSON.parse(line)) });
  const http = await startMcpHttp({
    service,
    address: '127.0.0.1',
    port: 0,
    allowedOrigins: [],
    allowedHosts: [],
    log,
    ...options,
  });
  t.after(() => http.close());
  return { http, seen, logged };
}
