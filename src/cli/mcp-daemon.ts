import { setFlagsFromString } from 'node:v8';
import type { Config } from '../config/index.ts';
import { openApplication } from '../host/index.ts';
import { type McpFront, type McpService, openHttp, openStdio, startMcp, tokenFrom } from '../mcp/index.ts';
import type { MonitorAddress } from '../observe/index.ts';
import { adoptOrphans } from '../process/index.ts';
import { type DaemonParts, runDaemon } from './daemon.ts';
import { mcpBannerOf } from './mcp-banner.ts';
import type { Flags } from './program.ts';
import { renderMcpBanner } from './render/mcp-banner.ts';
import type { Terminal } from './render/terminal.ts';
import { version } from './version.ts';

export interface McpDaemonOptions {
  readonly config: Config;
  readonly flags: Pick<Flags, 'verbose' | 'logFormat' | 'stdio'>;
  readonly env: NodeJS.ProcessEnv;
  readonly terminal: Terminal;
  /** Where metrics, health and the status page are served; nowhere when absent. */
  readonly monitorAddress?: MonitorAddress | undefined;
}

/** How long leaving takes at most, in ms: ending what runs, answering its callers, closing their streams. */
const LEAVE_MS = 5_000;

/**
 * Serves clients over HTTP, or the one that started us, until that one is gone or we are told to stop. Resolves to the
 * exit code.
 */
export function runMcpDaemon(options: McpDaemonOptions): Promise<number> {
  // The protocol library makes much that is soon thrown away. Left alone the heap grows by half under load and stays so.
  setFlagsFromString('--optimize-for-size');
  return runDaemon({ ...options, drainWords: endedFirst, drainTimeoutMs: LEAVE_MS }, (parts) =>
    lifetime(options, parts),
  );
}

async function lifetime(options: McpDaemonOptions, parts: DaemonParts): Promise<number> {
  const { config, env, terminal } = options;
  const { log, tally, stopping } = parts;
  const application = await openApplication({ config, env, signal: stopping.early });
  let way: Way | undefined;
  const server = await startMcp({
    config,
    application,
    version,
    log,
    observer: tally,
    open: async (service) => {
      way = await (options.flags.stdio ? overStreams(service, parts) : overHttp(service, options, parts));
      return way.front;
    },
  });
  stopping.attach(server);
  void way?.gone?.then(() => stopping.leave('the client is gone'));
  void adoptOrphans(log);
  const banner = mcpBannerOf({ config, served: server.served, endpoint: way?.endpoint });
  terminal.err.write(renderMcpBanner(banner, terminal.err.style));
  const { fault } = await server.done;
  await stopping.killed;
  // A client that does not read has been waited for, and must not hold up the end of the process.
  terminal.out.abandon();
  if (fault !== undefined) throw fault;
  return stopping.exitCode;
}

/** How clients reach the daemon. */
interface Way {
  readonly front: McpFront;
  /** As a person would name it. */
  readonly endpoint: string;
  /** Resolves when there is nobody left to serve; never where another client may always come. */
  readonly gone?: Promise<void>;
}

async function overStreams(service: McpService, { log }: DaemonParts): Promise<Way> {
  const front = await openStdio({ service, log, input: process.stdin, output: process.stdout });
  return { front, endpoint: 'standard streams', gone: front.gone };
}

async function overHttp(service: McpService, { config, env }: McpDaemonOptions, parts: DaemonParts): Promise<Way> {
  const { log, tally } = parts;
  const { mcp } = config.expose;
  if (mcp === undefined) throw new Error('the configuration has no block expose.agent.mcp');
  const { port, address, tokenEnv, allowedOrigins, allowedHosts } = mcp;
  const token = tokenFrom(tokenEnv, env);
  const refused = (code: string) => tally.refused('mcp', code);
  const front = await openHttp({ service, address, port, token, allowedOrigins, allowedHosts, log, refused });
  return { front, endpoint: front.url };
}

/** What a drain means for the commands that run: none outlives this process. */
function endedFirst(calls: number): string {
  if (calls === 0) return 'no call is running';
  return `${calls === 1 ? '1 call is' : `${calls} calls are`} ended and answered first`;
}
