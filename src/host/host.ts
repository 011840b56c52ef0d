import { type Config, loadNatsContext } from '../config/index.ts';
import type { Connection } from '../nats/index.ts';
import type { Logger } from '../observe/index.ts';
import type { LoadedApplication } from '../tools/index.ts';
import { openApplication } from './application.ts';

/** What is opened from a configuration and shared by everything that runs on it. */
export interface Host {
  readonly config: Config;
  readonly connection: Connection;
  /** Absent when no application is configured. */
  readonly application: LoadedApplication | undefined;
  /** Closes what was opened, in reverse order. What was sent gets `flushMs` to leave, 2 000 when absent. */
  close(flushMs?: number): Promise<void>;
}

export interface HostOptions {
  readonly config: Config;
  readonly env: NodeJS.ProcessEnv;
  /** NATS servers that stand in for the configured context. */
  readonly servers?: readonly string[] | undefined;
  /** How the connection is shown by the server, after `fisk-ai`. */
  readonly connectionName: string;
  readonly log: Logger;
  /** Gives up opening when it fires; nothing stays open or running. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Opens everything a configuration asks for. The application is introspected while the connection is made, since
 * neither needs the other; what one has opened is closed again when the other fails, and the failure that came first is
 * told. One that the file alone explains, such as an application that is not there, comes first.
 */
export async function openHost(options: HostOptions): Promise<Host> {
  const { config, env, signal } = options;
  const stop = new AbortController();
  const either = signal ? AbortSignal.any([signal, stop.signal]) : stop.signal;
  const orStop = <Opened>(opening: Promise<Opened>) =>
    opening.catch((error: unknown) => {
      stop.abort(error);
      throw error;
    });
  const [loaded, dialed] = await Promise.allSettled([
    orStop(openApplication({ config, env, signal: either })),
    orStop(dial(options, either)),
  ]);
  if (loaded.status === 'fulfilled' && dialed.status === 'fulfilled') {
    const connection = dialed.value;
    return { config, connection, application: loaded.value, close: (flushMs) => connection.close(flushMs) };
  }
  if (dialed.status === 'fulfilled') {
    await dialed.value.close();
  }
  throw stop.signal.reason;
}

async function dial(options: HostOptions, signal: AbortSignal): Promise<Connection> {
  const { config, env, servers, connectionName: name, log } = options;
  // A daemon that is no peer on NATS loads nothing of it.
  const { connect } = await import('../nats/index.ts');
  if (servers !== undefined) {
    return connect({ servers, name, log, signal });
  }
  const context = await loadNatsContext(config.natsContext ?? '', env, signal);
  return connect({ context, name, log, signal });
}
