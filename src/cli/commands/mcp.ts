import { type LoadedConfig, loadConfig, mcpNotEnabled } from '../../config/index.ts';
import { NothingToServeError, UsageError } from '../../errors.ts';
import { openApplication, selectForSurface } from '../../host/index.ts';
import { chosenMonitorAddress } from '../daemon.ts';
import { describe } from '../describe/describe.ts';
import { mcpBannerOf } from '../mcp-banner.ts';
import { runMcpDaemon } from '../mcp-daemon.ts';
import type { CommandContext } from '../program.ts';
import { renderMcpCheck } from '../render/mcp-banner.ts';
import { stoppable } from '../signals.ts';

/** Serves tools to MCP clients until told to stop, or only shows what would be served or how it is reached. */
export async function run(context: CommandContext): Promise<number> {
  const { flags, env, terminal } = context;
  if (flags.stdio && (flags.port !== undefined || flags.address !== undefined)) {
    throw new UsageError('--stdio serves no port: leave --port and --address out');
  }
  if (flags.describe && (flags.stdio || flags.check)) {
    throw new UsageError('--describe tells of both ways to serve and leaves: leave --stdio and --check out');
  }
  if (flags.registryName !== undefined && !flags.describe) {
    throw new UsageError('--registry-name goes with --describe');
  }
  const loaded = load(context);
  for (const notice of loaded.notices) terminal.err.warning(notice);
  const { config } = loaded;
  if (config.expose.mcp === undefined) throw mcpNotEnabled(config.path);
  const monitorAddress = chosenMonitorAddress(flags, env);
  if (flags.describe) return describe(context, config);
  if (flags.check) return check(context, loaded);
  return runMcpDaemon({ ...context, config, monitorAddress });
}

/** Everything that can be told from the command line and the file alone. */
function load({ flags, env }: CommandContext): LoadedConfig {
  return loadConfig({
    path: flags.config,
    mode: 'mcp',
    env: isNoPort(env[PORT_VARIABLE]) ? { ...env, [PORT_VARIABLE]: '' } : env,
    flags: {
      'no-telemetry': flags.telemetry ? undefined : 'true',
      // The variables of these count only where something is listened on.
      ...(flags.stdio
        ? {}
        : { port: isNoPort(flags.port) ? undefined : flags.port, address: flags.address || undefined }),
    },
  });
}

const PORT_VARIABLE = 'FISK_AI_MCP_PORT';

/** Whether a port was typed that is none, which leaves it to the next place that may name one. */
function isNoPort(text: string | undefined): boolean {
  return text !== undefined && /^0+$/.test(text.trim());
}

/** Does what a start would do, short of answering anybody. */
async function check({ env, terminal }: CommandContext, { config }: LoadedConfig): Promise<number> {
  const application = await stoppable((signal) => openApplication({ config, env, signal }));
  if (application === undefined) throw new NothingToServeError('application_path is not set');
  const served = selectForSurface('mcp', application, config);
  for (const { message } of [...application.notices, ...served.notices]) terminal.err.warning(message);
  const withheld = [
    ...application.removed.map(({ name, reason }) => ({ name, reason })),
    ...served.withheld.map(({ tool, reason }) => ({ name: tool.name, reason })),
  ];
  const banner = mcpBannerOf({ config, served, endpoint: undefined });
  terminal.out.write(renderMcpCheck({ banner, application, withheld }, terminal.out.style));
  return 0;
}
