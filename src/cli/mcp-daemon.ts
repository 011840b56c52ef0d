import type { Config } from '../config/index.ts';
import { openApplication } from '../host/index.ts';
import { openStdio, type StdioFront, startMcp } from '../mcp/index.ts';
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
  readonly flags: Pick<Flags, 'verbose' | 'logFormat'>;
  readonly env: NodeJS.ProcessEnv;
  readonly terminal: Terminal;
  /** Where metrics, health and the status page are served; nowhere when absent. */
  readonly monitorAddress?: MonitorAddress | undefined;
}

/** Serves the client that started us until it is gone or we are told to stop. Resolves to the exit code. */
export function runMcpDaemon(options: McpDaemonOptions): Promise<number> {
  return runDaemon({ ...options, drainWords: endedFirst }, (parts) => lifetime(options, parts));
}

async function lifetime({ config, env, terminal }: McpDaemonOptions, parts: DaemonParts): Promise<number> {
  const { log, tally, stopping } = parts;
  const application = await openApplication({ config, env, signal: stopping.early });
  let front: StdioFront | undefined;
  const server = await startMcp({
    config,
    application,
    version,
    log,
    observer: tally,
    open: async (service) => {
      front = await openStdio({ service, log, input: process.stdin, output: process.stdout });
      return front;
    },
  });
  stopping.attach(server);
  void front?.gone.then(() => stopping.leave('the client is gone'));
  void adoptOrphans(log);
  const banner = mcpBannerOf({ config, served: server.served, endpoint: 'standard streams' });
  terminal.err.write(renderMcpBanner(banner, terminal.err.style));
  const { fault } = await server.done;
  await stopping.killed;
  if (fault !== undefined) throw fault;
  return stopping.exitCode;
}

/** What a drain means for the commands that run: none outlives this process. */
function endedFirst(calls: number): string {
  if (calls === 0) return 'no call is running';
  return `${calls === 1 ? '1 call is' : `${calls} calls are`} ended and answered first`;
}
