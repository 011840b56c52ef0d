/** Real NATS servers for tests, each on a port of its own. */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { connect as dial } from 'node:net';
import { join } from 'node:path';
import { findNatsServer, type ServerAge } from '../../scripts/nats-server.ts';
import { spawnOwned } from './run.ts';
import { tempDir } from './tmp.ts';
import { waitFor } from './wait.ts';

export type { ServerAge } from '../../scripts/nats-server.ts';

export interface NatsServerOptions {
  /** `current` when absent and there is one, else what there is. */
  version?: ServerAge;
  /** Text of a configuration file, without listen address or port. */
  config?: string;
  /** A free one when absent. */
  port?: number;
}

export interface TestNatsServer {
  /** `nats://127.0.0.1:PORT` */
  readonly url: string;
  readonly port: number;
  /** Of the server that runs now; another one after a restart. */
  readonly pid: number;
  /** Ends the server, at once and without a goodbye to its clients. */
  stop(): Promise<void>;
  /** Starts it again on the same port, ending it first when it still runs. */
  restart(config?: string): Promise<void>;
  /** Lets the running server read another configuration. */
  reload(config: string): Promise<void>;
  /** Everything it has logged so far. */
  log(): string;
}

/** The ages of server that this machine has, oldest first, for tests that run once on each. */
export function natsServerVersions(): ServerAge[] {
  const found = (['2.9', 'current'] as const).filter((age) => serverPath(age) !== undefined);
  if (found.length === 0) throw new Error('no nats-server here: run "node scripts/nats-server.ts"');
  if (found.length === 1 && process.env['CI'] !== undefined) throw new Error(`only nats-server ${found[0]} here`);
  return found;
}

const paths = new Map<ServerAge, string | undefined>();
function serverPath(age: ServerAge): string | undefined {
  if (!paths.has(age)) paths.set(age, findNatsServer(age));
  return paths.get(age);
}

/** Starts a server and waits until it answers. It is killed when the test process ends. */
export async function startNatsServer(options: NatsServerOptions = {}): Promise<TestNatsServer> {
  const { version } = options;
  const chosen = version === undefined ? (serverPath('current') ?? serverPath('2.9')) : serverPath(version);
  if (chosen === undefined) throw new Error(`no nats-server ${version ?? ''} here: run "node scripts/nats-server.ts"`);
  const program = chosen;
  const dir = tempDir();
  const file = join(dir, 'server.conf');
  let config = options.config ?? '';
  let port = options.port ?? 0;
  let child: ChildProcess;
  let log = '';

  async function launch(): Promise<void> {
    writeConfig();
    const started = spawnOwned(program, ['-c', file], { stdio: ['ignore', 'ignore', 'pipe'], cwd: dir });
    child = started;
    started.stderr?.on('data', (chunk: Buffer) => {
      log += chunk.toString();
    });
    await waitFor(
      async () => {
        if (started.exitCode !== null) throw new Error(`nats-server ended at once:\n${log}`);
        port ||= portOf(dir, started.pid) ?? 0;
        return port !== 0 && (await answers(port, /handshake_first/.test(config)));
      },
      { timeout: 10_000, what: () => `nats-server to answer:\n${log}` },
    );
    // The next start and a reload must keep the port that this one was given.
    writeConfig();
  }

  function writeConfig(): void {
    const head = `host: 127.0.0.1\nport: ${port === 0 ? -1 : port}\nports_file_dir: ${JSON.stringify(dir)}\n`;
    writeFileSync(file, `${head}${config}\n`);
  }

  async function stop(): Promise<void> {
    if (child.exitCode !== null || child.signalCode !== null) return;
    // A look at /proc is not enough: its other threads may hold the port for a moment after the first is gone.
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }

  await launch();
  return {
    url: `nats://127.0.0.1:${port}`,
    port,
    get pid() {
      return child.pid ?? 0;
    },
    stop,
    async restart(next) {
      await stop();
      config = next ?? config;
      await launch();
    },
    async reload(next) {
      config = next;
      writeConfig();
      const before = log.length;
      child.kill('SIGHUP');
      await waitFor(() => /Reloaded server configuration|Failed to reload/i.exec(log.slice(before)) !== null, {
        what: 'the server to reload',
      });
      if (/Failed to reload/i.test(log.slice(before))) throw new Error(log.slice(before));
    },
    log: () => log,
  };
}

/** The port that the server wrote down when it had opened it. */
function portOf(dir: string, pid: number | undefined): number | undefined {
  const name = readdirSync(dir).find((entry) => entry.endsWith(`_${pid}.ports`));
  if (name === undefined) return undefined;
  const text = readFileSync(join(dir, name), 'utf8');
  const match = /"nats":\s*\[\s*"[a-z]+:\/\/127\.0\.0\.1:(\d+)"/.exec(text);
  return match === null ? undefined : Number(match[1]);
}

/** True when a server greets us on that port, or takes the connection if it only speaks after a TLS handshake. */
function answers(port: number, silent: boolean): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = dial({ host: '127.0.0.1', port });
    const settle = (yes: boolean) => {
      socket.destroy();
      resolve(yes);
    };
    socket.setTimeout(2_000, () => settle(false));
    socket.once('error', () => settle(false));
    if (silent) socket.once('connect', () => settle(true));
    else socket.once('data', () => settle(true));
  });
}
