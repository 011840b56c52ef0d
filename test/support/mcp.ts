/** An MCP server of ours inside the test process, with one client over a pair of streams. */
import { PassThrough } from 'node:stream';
import { type Config, loadConfig } from '../../src/config/index.ts';
import { openApplication } from '../../src/host/index.ts';
import { type McpTiming, openStdio, type RunningMcp, type StdioLimits, startMcp } from '../../src/mcp/index.ts';
import { createLogger, type ServeObserver } from '../../src/observe/index.ts';
import { RawMcp } from './raw-mcp.ts';
import { fixture, tempFile } from './tmp.ts';

export interface McpOptions {
  /** YAML below `expose.agent.mcp`, in flow style without its braces. */
  readonly mcp?: string;
  /** YAML of `expose.agent.tools`, on one line. */
  readonly tools?: string;
  /** More YAML at the top level. */
  readonly yaml?: string;
  readonly application?: string;
  readonly observer?: ServeObserver;
  readonly timing?: McpTiming;
  readonly limits?: Partial<StdioLimits>;
}

export interface TestMcp {
  readonly server: RunningMcp;
  /** Every line of the log so far. */
  readonly lines: Record<string, unknown>[];
  /** What the client writes to, and reads from. */
  readonly input: PassThrough;
  readonly output: PassThrough;
  /** Drains and waits for the end. */
  stop(): Promise<{ fault?: Error }>;
}

/** The configuration of such a server. */
export function mcpConfig({ mcp = '', tools, yaml = '', application = fixture('lab.sh') }: McpOptions = {}): Config {
  const text = [
    'identity: lab',
    `application_path: ${application}`,
    'expose:',
    '  agent:',
    ...(tools === undefined ? [] : [`    tools: ${tools}`]),
    `    mcp: {${mcp}}`,
    yaml,
  ].join('\n');
  return loadConfig({ path: tempFile('agent.yaml', text), mode: 'mcp', env: {} }).config;
}

/** Starts one; throws what a start throws. */
export async function startTestMcp(options: McpOptions = {}): Promise<TestMcp> {
  const config = mcpConfig(options);
  const lines: Record<string, unknown>[] = [];
  const log = createLogger({
    level: 'debug',
    format: 'json',
    destination: { write: (line: string) => void lines.push(JSON.parse(line)) },
  });
  const application = await openApplication({ config, env: process.env });
  const input = new PassThrough();
  const output = new PassThrough();
  const { observer, timing, limits } = options;
  const server = await startMcp({
    config,
    application,
    version: '1.2.3',
    log,
    observer,
    open: (service) => openStdio({ service, log, input, output, ...(limits && { limits }) }),
    ...(timing && { timing }),
  });
  return {
    server,
    lines,
    input,
    output,
    stop: () => {
      server.drain('the test is over');
      return server.done;
    },
  };
}

/** Starts one with a client that writes and reads messages as they are. */
export async function startRawMcp(options: McpOptions = {}): Promise<TestMcp & { readonly raw: RawMcp }> {
  const started = await startTestMcp(options);
  return { ...started, raw: new RawMcp(started.output, started.input) };
}
