import type { Readable, Writable } from 'node:stream';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { type Logger, logText, StormLog } from '../../observe/index.ts';
import type { McpService } from '../contract.ts';
import type { McpFront } from '../start.ts';
import { type StdioLimits, StdioTransport } from './transport.ts';

export interface StdioOptions {
  readonly service: McpService;
  readonly log: Logger;
  readonly input: Readable;
  readonly output: Writable;
  /** In place of the usual bounds, for tests. */
  readonly limits?: Partial<StdioLimits>;
}

/** One client over standard streams. */
export interface StdioFront extends McpFront {
  /** Resolves when the client is gone: its end of either stream is closed. */
  readonly gone: Promise<void>;
}

/** As large as a message over HTTP may be, and as much for a client that does not read. */
const LIMITS = { message: 4 * 1_048_576, unread: 4 * 1_048_576 } as const;

/** How long the last answers may take to be read, in ms. */
const FLUSH_MS = 500;

/** There is one client, and it is whoever started us. */
const CLIENT = { connection: 'stdio' } as const;

/** Serves one client over two streams, every revision. */
export function serveOver({ service, log, input, output, limits }: StdioOptions): StdioFront {
  const storms = new StormLog(log);
  const transport = new StdioTransport({ input, output, limits: { ...LIMITS, ...limits }, storms });
  const handle = serveStdio(() => service.createServer(CLIENT), {
    transport,
    onerror: (error) => log.debug({ error: logText(error.message) }, 'the protocol library reports an error'),
  });
  let end: Promise<void> | undefined;
  const close = async () => {
    transport.stopReading();
    await service.drain();
    await transport.flushed(FLUSH_MS);
    await handle.close();
    storms.close();
  };
  return {
    gone: transport.gone,
    close: () => {
      end ??= close();
      return end;
    },
  };
}
