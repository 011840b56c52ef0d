import type { Config, RemoteToolsConfig } from '../config/index.ts';
import type { Connection } from '../nats/index.ts';
import { StoppedError, stoppable } from './signals.ts';
import type { Target } from './target.ts';

/** What one of the remote agents of a file looks like from here. */
export interface RemoteAgentInfo {
  readonly name: string;
  readonly alias: string;
  readonly reachable: boolean;
  readonly version?: string;
  readonly rtt_ms?: number;
  /** Tools on its card. */
  readonly advertised?: number;
  /** Those that the filters of the file keep. */
  readonly selected?: number;
  /** Why it is not reachable. */
  readonly error?: string;
}

/** A look, not a run: nobody waits long for an agent that is down. */
const PATIENCE_MS = 5_000;

/**
 * Asks each remote agent of a file for its card, all at once. What cannot be reached is reported so.
 * @param target where to ask; its failure to connect is everybody's.
 * @throws {StoppedError} when a signal comes before there is a connection.
 */
export async function lookAtRemoteAgents(config: Config, target: () => Promise<Target>): Promise<RemoteAgentInfo[]> {
  if (config.remoteTools.length === 0) return [];
  try {
    const { sender, connect } = await target();
    const connection = await stoppable((signal) => connect(signal));
    try {
      return await Promise.all(config.remoteTools.map((remote) => look(connection, remote, sender, config)));
    } finally {
      await connection.close();
    }
  } catch (error) {
    if (error instanceof StoppedError) throw error;
    return config.remoteTools.map((remote) => unreachable(remote, error));
  }
}

async function look(
  connection: Connection,
  remote: RemoteToolsConfig,
  sender: string,
  config: Config,
): Promise<RemoteAgentInfo> {
  const { discover } = await import('../nats/index.ts');
  const timeoutMs = Math.min(config.expose.a2a.requestTimeoutMs, PATIENCE_MS);
  try {
    const { card, rttMs } = await discover(connection, remote.name, { sender, timeoutMs });
    const tools = card.tools ?? [];
    return {
      name: remote.name,
      alias: remote.alias,
      reachable: true,
      version: card.version,
      rtt_ms: Math.round(rttMs * 100) / 100,
      advertised: tools.length,
      selected: tools.filter(({ name }) => isSelected(remote, name)).length,
    };
  } catch (error) {
    return unreachable(remote, error);
  }
}

function isSelected({ include, exclude }: RemoteToolsConfig, name: string): boolean {
  const included = include.tools.length === 0 || include.tools.some((pattern) => pattern.test(name));
  return included && !exclude.tools.some((pattern) => pattern.test(name));
}

function unreachable({ name, alias }: RemoteToolsConfig, error: unknown): RemoteAgentInfo {
  return { name, alias, reachable: false, error: error instanceof Error ? error.message : String(error) };
}
