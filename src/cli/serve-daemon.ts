import type { Config } from '../config/index.ts';
import { DevServerError } from '../errors.ts';
import { openHost } from '../host/index.ts';
import { withoutUserInfo } from '../nats/index.ts';
import type { MonitorAddress } from '../observe/index.ts';
import { adoptOrphans, keepDeadlines } from '../process/index.ts';
import { type RunningServer, startServer } from '../serve/index.ts';
import { type DaemonParts, runDaemon } from './daemon.ts';
import { type DevServer, startDevServer } from './dev-server.ts';
import type { Flags } from './program.ts';
import { programText } from './program-text.ts';
import { renderBanner } from './render/banner.ts';
import { renderHints } from './render/hints.ts';
import type { Terminal } from './render/terminal.ts';
import { bannerOf } from './serve-banner.ts';
import { version } from './version.ts';

export interface ServeDaemonOptions {
  readonly config: Config;
  readonly flags: Pick<Flags, 'dev' | 'verbose' | 'logFormat'>;
  readonly env: NodeJS.ProcessEnv;
  readonly terminal: Terminal;
  /** NATS servers in place of the context of the file; an empty list asks for a private one. */
  readonly servers: readonly string[] | undefined;
  /** Where metrics, health and the status page are served; nowhere when absent. */
  readonly monitorAddress?: MonitorAddress | undefined;
  /** How long leaving may take, in ms. */
  readonly drainTimeoutMs: number;
}

/** Serves over NATS until told to stop. Resolves to the exit code; throws what {@link runDaemon} throws. */
export function runServeDaemon(options: ServeDaemonOptions): Promise<number> {
  return runDaemon({ ...options, drainWords: leftRunning }, (parts) => lifetime(options, parts));
}

async function lifetime(options: ServeDaemonOptions, { log, tally, stopping }: DaemonParts): Promise<number> {
  const { config, env, terminal, flags } = options;
  let privateServer: DevServer | undefined;
  try {
    privateServer = options.servers?.length === 0 ? await startDevServer(env, stopping.early) : undefined;
    const servers = privateServer === undefined ? options.servers : [privateServer.url];
    const connectionName = `serve ${config.identity}`;
    const host = await openHost({ config, env, servers, connectionName, log, signal: stopping.early });
    const server = await startServer({ host, version, log, observer: tally, drainTimeoutMs: options.drainTimeoutMs });
    stopping.attach(server);
    void adoptOrphans(log);
    const lost = watch(privateServer, server);

    const { served, concurrency } = server;
    terminal.err.write(renderBanner(bannerOf({ config, served, concurrency, servers }), terminal.err.style));
    if (flags.dev && servers !== undefined) {
      terminal.err.write(
        renderHints(
          {
            identity: config.identity,
            served: served.served,
            servers: servers.map(withoutUserInfo),
            program: programText(process.argv[1] ?? '', process.cwd(), process.execPath),
          },
          terminal.err.style,
        ),
      );
    }
    const { fault } = await server.done;
    await stopping.killed;
    const reason = fault ?? lost();
    if (reason !== undefined) throw reason;
    return stopping.exitCode;
  } finally {
    await keepDeadlines(log);
    await privateServer?.stop();
  }
}

/** Ends the daemon with its private server. Returns the question whether that is what happened. */
function watch(privateServer: DevServer | undefined, server: RunningServer): () => Error | undefined {
  let lost: Error | undefined;
  void privateServer?.exited.then(() => {
    if (server.state !== 'ready') return;
    lost = new DevServerError('the private NATS server ended');
    server.drain(lost.message);
  });
  return () => lost;
}

/** What a drain means for the commands that run: it waits for none of them. */
function leftRunning(commands: number): string {
  if (commands === 0) return 'no command is running; interrupt again, twice, to leave at once';
  const what = commands === 1 ? '1 command is' : `${commands} commands are`;
  return `${what} left running until the deadline; interrupt again before fisk has left to end them`;
}
