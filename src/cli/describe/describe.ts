import { resolve } from 'node:path';
import type { Config } from '../../config/index.ts';
import { NothingToServeError } from '../../errors.ts';
import { openApplication, selectForSurface } from '../../host/index.ts';
import { urlOf } from '../../mcp/index.ts';
import { sanitize } from '../../tools/index.ts';
import type { CommandContext } from '../program.ts';
import { stoppable } from '../signals.ts';
import { version } from '../version.ts';
import { clientConfigurations } from './clients.ts';
import { placeholderName, serverJson } from './server-json.ts';

/** Longer than what is shown of it, so that it is cut there and once. */
const HELP_LENGTH = 1_000;

/**
 * Prints what registries and clients are told of this server, as one JSON document, for a configuration that would
 * start. Resolves to the exit code.
 * @throws {UsageError} when the name for the registry is none; and what a start throws about the application.
 */
export async function describe(context: CommandContext, config: Config): Promise<number> {
  const { flags, env, terminal } = context;
  const { identity } = config;
  const { mcp } = config.expose;
  if (mcp === undefined) throw new Error('the configuration has no block expose.agent.mcp');
  const { registryName } = flags;
  const application = await stoppable((signal) => openApplication({ config, env, signal }));
  if (application === undefined) throw new NothingToServeError('application_path is not set');
  // What could not be served has nothing to be described.
  selectForSurface('mcp', application, config);

  const server = serverJson({
    registryName,
    identity,
    help: sanitize(application.help, HELP_LENGTH),
    application: sanitize(application.name, HELP_LENGTH) || identity,
    version,
    token: mcp.tokenEnv !== undefined,
  });
  const args = [resolve(process.argv[1] ?? ''), 'mcp', '--stdio', '--config', resolve(config.path)];
  const clients = clientConfigurations({
    identity,
    command: process.execPath,
    args,
    url: urlOf(mcp.address, mcp.port),
    tokenVariable: mcp.tokenEnv,
  });
  if (registryName === undefined) {
    terminal.err.warning(
      `${placeholderName(identity)} is a placeholder: a registry wants a name of yours, by --registry-name`,
    );
  }
  terminal.out.json({ server, clients });
  return 0;
}
