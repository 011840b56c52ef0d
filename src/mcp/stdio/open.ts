import type { StdioFront, StdioOptions } from './serve.ts';

/** Serves the one client at the other end of the streams. Whatever revision it speaks shows in its first message. */
export async function openStdio(options: StdioOptions): Promise<StdioFront> {
  const { serveOver } = await import('./serve.ts');
  return serveOver(options);
}
