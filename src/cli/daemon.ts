import type { Config } from '../config/index.ts';
import { DevServerError } from '../errors.ts';
import { openHost } from '../host/index.ts';
import { withoutUserInfo } from '../nats/index.ts';
import {
  createLogger,
  defaultLogFormat,
  type Logger,
  type MonitorAddress,
  startMonitor,
  startSupervision,
  stderrSink,
  Tally,
} from '../observe/index.ts';
import { adoptOrphans, keepDeadlines, killLiveGroups } from '../process/index.ts';
import { type RunningServer, startServer } from '../serve/index.ts';
import { type DevServer, startDevServer } from './dev-server.ts';
import { growNewSpaceWhenBusy } from './new-space.ts';
import type { Flags } from './program.ts';
import { programText } from './program-text.ts';
import { renderBanner } from './render/banner.ts';
import { renderHints } from './render/hints.ts';
import type { Terminal } from './render/terminal.ts';
import { bannerOf } from './serve-banner.ts';
import { exitCodeOf, onStopSignals, type StopSignal } from './signals.ts';
import { version } from './version.ts';

export interface DaemonOptions {
  readonly config: Config;
  readonly flags: Pick<Flags, 'dev' | 'verbose' | 'logFormat'>;
  readonly env: NodeJS.ProcessEnv;
  readonly terminal: Terminal;
  /** NATS servers in place of the context of the file; an empty list asks for a private one. */
  readonly servers: readonly string[] | undefined;
  /** Where metrics, health and the status page are served; nowhere when absent. */
  readonly monitorAddress?: MonitorAddress | undefined;
}

/**
 * Runs a daemon to its end and resolves to the exit code: 0 when it was asked to stop, 130 or 143 when it was asked
 * before it had started, or three times.
 * @throws what kept it from starting, or the fault that ended it.
 */
export async function runDaemon(options: DaemonOptions): Promise<number> {
  const sink = stderrSink();
  const { verbose, logFormat = defaultLogFormat() } = options.flags;
  const log = createLogger({ level: verbose ? 'debug' : 'info', format: logFormat, destination: sink });
  const stopping = new Stopping(options.terminal);
  const tally = new Tally(options.config.identity, version);
  tally.droppedLogLines = () => sink.dropped;
  const supervision = startSupervision(tally, options.env, log);
  const stopGrowing = growNewSpaceWhenBusy();
  try {
    return await Promise.race([watched(options, log, stopping, tally), stopping.forced]);
  } catch (error) {
    // A start that failed has no state of its own to say so.
    if (tally.currentState === 'starting')
      tally.state('failed', error instanceof Error ? error.message : String(error));
    throw error;
  } finally {
    stopping.close();
    supervision?.close();
    stopGrowing();
    // The reason for the end is in the last lines.
    sink.flushSync();
  }
}

async function watched(options: DaemonOptions, log: Logger, stopping: Stopping, tally: Tally): Promise<number> {
  const { monitorAddress } = options;
  const monitor = monitorAddress && (await startMonitor(monitorAddress, tally, log));
  try {
    return await lifetime(options, log, stopping, tally);
  } finally {
    monitor?.close();
  }
}

async function lifetime(options: DaemonOptions, log: Logger, stopping: Stopping, tally: Tally): Promise<number> {
  const { config, env, terminal, flags } = options;
  const privateServer = options.servers?.length === 0 ? await startDevServer(env) : undefined;
  try {
    const servers = privateServer === undefined ? options.servers : [privateServer.url];
    const connectionName = `serve ${config.identity}`;
    const host = await openHost({ config, env, servers, connectionName, log, signal: stopping.early });
    const server = await startServer({ host, version, log, observer: tally });
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
  } catch (error) {
    // Whoever stops a start does not want to read that it was stopped.
    if (stopping.early.aborted) return stopping.exitCode;
    throw error;
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

/** What the signals do at each point of a daemon's life. */
class Stopping {
  /** Resolves to the exit code when nothing is waited for any more. */
  readonly forced: Promise<number>;
  readonly #terminal: Terminal;
  readonly #early = new AbortController();
  readonly #release: () => void;
  /** Resolves when the commands are ended, if that was asked for. */
  killed: Promise<void> = Promise.resolve();
  #server: RunningServer | undefined;
  #signal: StopSignal | undefined;

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
    const { promise, resolve } = Promise.withResolvers<number>();
    this.forced = promise;
    this.#release = onStopSignals((signal, nth) => {
      this.#signal ??= signal;
      if (nth > 2) {
        killLiveGroups();
        resolve(exitCodeOf(signal));
      } else if (this.#server === undefined) {
        // What the start had begun is put in order; a second signal cannot make that faster.
        this.#early.abort();
      } else {
        this.#stopServer(this.#server, signal, nth);
      }
    });
  }

  /** Fires when the start is to be given up. */
  get early(): AbortSignal {
    return this.#early.signal;
  }

  /** 0 for an orderly stop; what a shell expects when there was nothing to put in order. */
  get exitCode(): number {
    return this.early.aborted && this.#signal !== undefined ? exitCodeOf(this.#signal) : 0;
  }

  /** From now on a signal is for the server. One that came too late for the start counts as its first. */
  attach(server: RunningServer): void {
    this.#server = server;
    if (this.early.aborted) server.drain('stopped during the start');
  }

  close(): void {
    this.#release();
  }

  #stopServer(server: RunningServer, signal: StopSignal, nth: number): void {
    if (nth === 1) {
      this.#terminal.err.line(`draining: taking no more calls; ${leftRunning(server.running)}`);
      server.drain(signal);
    } else {
      this.#terminal.err.line('ending the running commands; interrupt again to leave at once');
      this.killed = server.kill();
    }
  }
}

/** What a drain means for the commands that run: it waits for none of them. */
function leftRunning(commands: number): string {
  if (commands === 0) return 'no command is running; interrupt again, twice, to leave at once';
  const what = commands === 1 ? '1 command is' : `${commands} commands are`;
  return `${what} left running until the deadline; interrupt again before fisk has left to end them`;
}
