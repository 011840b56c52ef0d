import { executableFault, findOnPath } from '../config/index.ts';
import { DevServerError } from '../errors.ts';
import { type Companion, childEnvironment, startCompanion } from '../process/index.ts';

/** A NATS server of our own on a free port of the loopback address. It ends when this process does. */
export interface DevServer {
  /** `nats://127.0.0.1:PORT` */
  readonly url: string;
  /** Resolves when the server ended, whoever ended it. */
  readonly exited: Promise<void>;
  stop(): Promise<void>;
}

const START_LIMIT_MS = 10_000;
/** What is kept of the server's own log for the message of a failed start. */
const LOG_KEPT = 4096;
const LISTENING = /Listening for client connections on (127\.0\.0\.1:\d+)/;

/**
 * Starts a private NATS server and resolves when it takes connections. A signal that fires before that ends it.
 * @throws {DevServerError} when there is none to start, or when it does not come up; else the reason of the signal.
 */
export async function startDevServer(env: NodeJS.ProcessEnv, signal?: AbortSignal): Promise<DevServer> {
  const path = findNatsServer(env);
  const args = ['--addr', '127.0.0.1', '--port', '-1'];
  // Should this process die without a goodbye, the kernel ends the server for us; there is a setpriv that cannot.
  const guard = findOnPath('setpriv', env);
  const guards = ['--pdeathsig', 'TERM', path, ...args];
  const guarded = guard && (await launch(guard, guards, env, signal).catch(() => undefined));
  return guarded || launch(path, args, env, signal);
}

async function launch(
  path: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  signal: AbortSignal | undefined,
): Promise<DevServer> {
  signal?.throwIfAborted();
  const server = await startCompanion({ path, args, environment: childEnvironment({ base: env, remove: [] }) });
  server.stdin.end();
  server.stdout.resume();
  try {
    const address = await listening(server, path, signal);
    return {
      url: `nats://${address}`,
      exited: server.exited.then(() => {}),
      stop: () => server.end(),
    };
  } catch (error) {
    await server.end();
    throw error;
  }
}

function listening(server: Companion, path: string, signal: AbortSignal | undefined): Promise<string> {
  return new Promise((resolve, reject) => {
    signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
    let log = '';
    let found = false;
    const fail = (what: string) =>
      reject(new DevServerError(`${path} ${what}${log === '' ? '' : `:\n${log.trimEnd()}`}`));
    const timer = setTimeout(() => fail(`did not take connections within ${START_LIMIT_MS / 1000} s`), START_LIMIT_MS);
    // Read to its end, or the server would stand still once the pipe is full.
    server.stderr.on('data', (chunk: Buffer) => {
      if (found) return;
      log = (log + chunk.toString()).slice(-LOG_KEPT);
      const address = LISTENING.exec(log)?.[1];
      if (address === undefined) return;
      found = true;
      clearTimeout(timer);
      resolve(address);
    });
    // Its last words come before the end of this stream, and possibly after the end of the process.
    server.stderr.once('close', () => {
      clearTimeout(timer);
      fail('ended at once');
    });
  });
}

/** The program named by FISK_NATS_SERVER, else the first `nats-server` on PATH. */
function findNatsServer(env: NodeJS.ProcessEnv): string {
  const named = env['FISK_NATS_SERVER'];
  const fault = named ? executableFault(named) : undefined;
  if (fault !== undefined) throw new DevServerError(`FISK_NATS_SERVER names ${named}, which ${fault}`);
  const found = named || findOnPath('nats-server', env);
  if (found === undefined) throw new DevServerError('there is no nats-server on PATH for --dev to start');
  return found;
}
