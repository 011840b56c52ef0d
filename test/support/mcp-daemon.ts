/** `fisk mcp` over HTTP as an operator starts it: a process of its own on a free port. */
import { startFisk } from './fisk.ts';
import { freePort } from './free-port.ts';
import type { Running } from './run.ts';
import { fixture, tempFile } from './tmp.ts';

export interface McpDaemonOptions {
  readonly identity?: string;
  readonly application?: string;
  /** YAML below `expose.agent.mcp`, in flow style without its braces. */
  readonly mcp?: string;
  /** More YAML at the top level. */
  readonly yaml?: string;
  readonly args?: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
}

export interface McpDaemon {
  readonly running: Running;
  readonly url: string;
}

/** A configuration that serves an application to MCP clients; gives its path. */
export function mcpConfig(options: McpDaemonOptions = {}): string {
  const { identity = 'lab', application = fixture('lab.sh'), mcp = '', yaml = '' } = options;
  const text = `identity: ${identity}\napplication_path: ${application}\nexpose: {agent: {mcp: {${mcp}}}}\n${yaml}\n`;
  return tempFile('agent.yaml', text);
}

/** Starts one and waits until it answers. */
export async function startMcpDaemon(options: McpDaemonOptions = {}): Promise<McpDaemon> {
  const { args = [], env } = options;
  const port = await freePort();
  const flags = ['mcp', '--config', mcpConfig(options), '--port', String(port), ...args];
  const running = await startFisk(flags, env && { env });
  await running.printed(/Exposed:/);
  return { running, url: `http://127.0.0.1:${port}/` };
}
