import {
  checkBaseUrl,
  checkWorkDir,
  enabledEndpoints,
  type LoadedConfig,
  loadConfig,
  loadNatsContext,
  nothingEnabled,
} from '../../config/index.ts';
import { UsageError } from '../../errors.ts';
import { openApplication, selectForSurface } from '../../host/index.ts';
import { effectiveConcurrency } from '../../serve/index.ts';
import { chosenMonitorAddress } from '../daemon.ts';
import { readDuration } from '../duration-flag.ts';
import type { CommandContext } from '../program.ts';
import { renderCheck } from '../render/check.ts';
import { bannerOf } from '../serve-banner.ts';
import { runServeDaemon } from '../serve-daemon.ts';
import { stoppable } from '../signals.ts';
import { serverList } from '../target.ts';

/** Serves tools until told to stop, or only shows what would be served. */
export async function run(context: CommandContext): Promise<number> {
  const { flags, terminal } = context;
  if (flags.server !== undefined && !flags.dev) {
    throw new UsageError('--server goes with --dev; without it the file names a NATS context');
  }
  const drainTimeoutMs = await readDuration('--drain-timeout', flags.drainTimeout);
  const loaded = load(context);
  for (const notice of loaded.notices) terminal.err.warning(notice);
  if (enabledEndpoints(loaded.config).length === 0) throw nothingEnabled(loaded.config.path);
  const servers = chosenServers(context, loaded);
  const monitorAddress = chosenMonitorAddress(flags, context.env);
  return flags.check
    ? check(context, loaded, servers)
    : runServeDaemon({ ...context, config: loaded.config, servers, monitorAddress, drainTimeoutMs });
}

/** Everything that can be told from the command line and the file alone. */
function load({ flags, env }: CommandContext): LoadedConfig {
  const baseUrl = flags.baseUrl ?? env['ANTHROPIC_BASE_URL'];
  if (baseUrl) checkBaseUrl(baseUrl, '--base-url (ANTHROPIC_BASE_URL)');
  if (flags.workDir !== undefined) checkWorkDir(flags.workDir);
  return loadConfig({
    path: flags.config,
    mode: 'serve',
    env,
    flags: {
      workers: flags.workers,
      'state-dir': flags.stateDir,
      'no-telemetry': flags.telemetry ? undefined : 'true',
    },
    contextOptional: flags.dev === true,
  });
}

/** The servers to use in place of a context: none when the file names one; an empty list asks for a private one. */
function chosenServers({ flags, env }: CommandContext, { config }: LoadedConfig): readonly string[] | undefined {
  if (!flags.dev) return undefined;
  if (flags.server !== undefined) return serverList(flags.server);
  if (config.natsContext) return undefined;
  return env['NATS_URL'] ? serverList(env['NATS_URL']) : [];
}

/** Does what a start would do, short of connecting. */
async function check(
  { env, terminal }: CommandContext,
  { config }: LoadedConfig,
  servers: readonly string[] | undefined,
): Promise<number> {
  const application = await stoppable((signal) => openApplication({ config, env, signal }));
  if (application === undefined) throw new Error('a configuration for serving tools has no application');
  // Read as a start would, with the secrets it points at; nothing is connected to.
  if (servers === undefined) {
    await stoppable((signal) => loadNatsContext(config.natsContext ?? '', env, signal));
  }
  const served = selectForSurface('a2a', application, config);
  const banner = bannerOf({ config, served, concurrency: effectiveConcurrency(config), servers });
  for (const { message } of [...application.notices, ...served.notices]) terminal.err.warning(message);
  const withheld = [
    ...application.removed.map(({ name, reason }) => ({ name, reason })),
    ...served.withheld.map(({ tool, reason }) => ({ name: tool.name, reason })),
  ];
  terminal.out.write(renderCheck({ banner, application, withheld }, terminal.out.style));
  return 0;
}
