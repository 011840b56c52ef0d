import type { Config } from '../config/index.ts';
import {
  createLogger,
  defaultLogFormat,
  type Logger,
  type MonitorAddress,
  parseMonitorAddress,
  startMonitor,
  startSupervision,
  stderrSink,
  Tally,
} from '../observe/index.ts';
import { growNewSpaceWhenBusy } from './new-space.ts';
import type { Flags } from './program.ts';
import type { Terminal } from './render/terminal.ts';
import { type DrainWords, Stopping } from './stopping.ts';
import { version } from './version.ts';

export interface DaemonOptions {
  readonly config: Config;
  readonly flags: Pick<Flags, 'verbose' | 'logFormat'>;
  readonly env: NodeJS.ProcessEnv;
  readonly terminal: Terminal;
  readonly drainWords: DrainWords;
  /** Where metrics, health and the status page are served; nowhere when absent. */
  readonly monitorAddress?: MonitorAddress | undefined;
  /** How long leaving may take, in ms. */
  readonly drainTimeoutMs: number;
}

/** What surrounds a daemon while it lives. */
export interface DaemonParts {
  readonly log: Logger;
  readonly tally: Tally;
  readonly stopping: Stopping;
}

/** A daemon from its start to its end. Resolves to the exit code. */
export type Lifetime = (parts: DaemonParts) => Promise<number>;

/**
 * Runs a daemon to its end and resolves to the exit code: 0 when it was asked to stop, 130 or 143 when it was asked
 * before it had started, or three times.
 * @throws what kept it from starting, or the fault that ended it.
 */
export async function runDaemon(options: DaemonOptions, lifetime: Lifetime): Promise<number> {
  const sink = stderrSink();
  const { verbose, logFormat = defaultLogFormat() } = options.flags;
  const log = createLogger({ level: verbose ? 'debug' : 'info', format: logFormat, destination: sink });
  const stopping = new Stopping(options.terminal, options.drainWords);
  const tally = new Tally(options.config.identity, version);
  tally.droppedLogLines = () => sink.dropped;
  const supervision = startSupervision(tally, options.env, log, options.drainTimeoutMs);
  const stopGrowing = growNewSpaceWhenBusy();
  try {
    return await Promise.race([watched(options.monitorAddress, lifetime, { log, tally, stopping }), stopping.forced]);
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

/** Where the command line or the environment wants metrics, health and the status page. */
export function chosenMonitorAddress(
  flags: Pick<Flags, 'metricsAddress'>,
  env: NodeJS.ProcessEnv,
): MonitorAddress | undefined {
  const text = flags.metricsAddress ?? env['FISK_METRICS_ADDRESS'];
  return text ? parseMonitorAddress(text) : undefined;
}

async function watched(
  monitorAddress: MonitorAddress | undefined,
  lifetime: Lifetime,
  parts: DaemonParts,
): Promise<number> {
  const monitor = monitorAddress && (await startMonitor(monitorAddress, parts.tally, parts.log));
  try {
    return await lifetime(parts);
  } catch (error) {
    // Whoever stops a start does not want to read that it was stopped.
    if (parts.stopping.early.aborted) return parts.stopping.exitCode;
    throw error;
  } finally {
    monitor?.close();
  }
}
