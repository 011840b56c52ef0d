import type { Readable, Writable } from 'node:stream';
import type { Logger } from '../../observe/index.ts';
import type { McpService } from '../contract.ts';
import type { McpFront } from '../start.ts';

export interface StdioOptions {
  readonly service: McpService;
  readonly log: Logger;
  readonly input: Readable;
  readonly output: Writable;
  /** In place of the usual bounds, for tests. */
  readonly limits?: Partial<StdioLimits>;
}

export interface StdioLimits {
  /** Bytes of one message. */
  readonly message: number;
  /** Bytes that may wait for the client to read; beyond it nothing more is read of it. */
  readonly unread: number;
}

/** One client over standard streams. */
export interface StdioFront extends McpFront {
  /** Resolves when the client is gone: its end of either stream is closed. */
  readonly gone: Promise<void>;
}

/** Serves the one client at the other end of the streams. Whatever revision it speaks shows in its first message. */
export async function openStdio(options: StdioOptions): Promise<StdioFront> {
  const { serveOver } = await import('./serve.ts');
  return serveOver(options);
}
