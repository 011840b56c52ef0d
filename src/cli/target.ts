import { existsSync } from 'node:fs';
import { ContextMissingError, UsageError } from '../errors.ts';
import type { Connection } from '../nats/index.ts';
import type { Flags } from './program.ts';

/** Where a command finds its peers and how it presents itself to them. */
export interface Target {
  /** What our messages name as their sender. */
  readonly sender: string;
  /** The bound of the file for what we ask of a peer, in ms; absent when no file was read. */
  readonly requestTimeoutMs: number | undefined;
  /** @param signal gives the attempt up. */
  connect(signal?: AbortSignal): Promise<Connection>;
}

/** The flags that say where to connect. */
export type TargetFlags = Pick<Flags, 'config' | 'context' | 'server'>;

export interface TargetOptions {
  readonly flags: TargetFlags;
  typed(flag: keyof TargetFlags): boolean;
  readonly env: NodeJS.ProcessEnv;
  /** Told what is odd about the file. */
  notice(text: string): void;
}

/** Our name toward peers when no file gives one. */
const DEFAULT_SENDER = 'fisk-ai';

/**
 * Finds out where to connect. `--context` and `--server` need no file; one is read with them only when `--config` was
 * typed beside `--server`. Without either the file decides, and where it names no context the variable NATS_URL does.
 * @throws {UsageError} when both flags are given.
 * @throws {ContextMissingError} when nothing says where.
 */
export async function resolveTarget({ flags, typed, env, notice }: TargetOptions): Promise<Target> {
  if (flags.context !== undefined && flags.server !== undefined) {
    throw new UsageError('--context and --server each say where to connect: give one of them');
  }
  if (flags.context !== undefined) return contextTarget(flags.context, DEFAULT_SENDER, undefined, env);
  if (flags.server !== undefined && !typed('config')) return serverTarget(flags.server, DEFAULT_SENDER, undefined);

  const fallback = env['NATS_URL'];
  if (!typed('config') && !existsSync(flags.config)) {
    if (fallback) return serverTarget(fallback, DEFAULT_SENDER, undefined);
    throw new ContextMissingError(
      `nothing says which NATS to use: there is no ${flags.config} here, and neither --context nor --server is given`,
    );
  }
  const { loadConfig } = await import('../config/index.ts');
  const { config, notices: found } = loadConfig({ path: flags.config, mode: 'lenient', env });
  for (const text of found) notice(text);
  const requestTimeoutMs = config.expose.a2a.requestTimeoutMs;
  if (flags.server !== undefined) return serverTarget(flags.server, config.identity, requestTimeoutMs);
  if (config.natsContext) return contextTarget(config.natsContext, config.identity, requestTimeoutMs, env);
  if (fallback) return serverTarget(fallback, config.identity, requestTimeoutMs);
  throw new ContextMissingError(`${flags.config} names no nats_context, and neither --context nor --server is given`);
}

function serverTarget(server: string, sender: string, requestTimeoutMs: number | undefined): Target {
  return {
    sender,
    requestTimeoutMs,
    connect: async (signal) => {
      const { connect } = await import('../nats/index.ts');
      return connect({ servers: serverList(server), name: sender, signal });
    },
  };
}

function contextTarget(
  name: string,
  sender: string,
  requestTimeoutMs: number | undefined,
  env: NodeJS.ProcessEnv,
): Target {
  return {
    sender,
    requestTimeoutMs,
    connect: async (signal) => {
      const [{ loadNatsContext }, { connect }] = await Promise.all([
        import('../config/index.ts'),
        import('../nats/index.ts'),
      ]);
      return connect({ context: await loadNatsContext(name, env, signal), name: sender, signal });
    },
  };
}

/** `--server` and NATS_URL take several servers, separated by commas. */
export function serverList(text: string): string[] {
  const servers = text
    .split(',')
    .map((server) => server.trim())
    .filter((server) => server !== '');
  if (servers.length === 0) throw new UsageError('--server must not be empty');
  return servers;
}
