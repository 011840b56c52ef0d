import { type Config, enabledEndpoints, loadConfig } from '../config/index.ts';
import { ConfigInvalidError, FiskError } from '../errors.ts';
import { selectForSurface } from '../host/index.ts';
import type { LoadedApplication } from '../tools/index.ts';
import type { Refusal } from './info-report.ts';

/** Why a file that asks for something to be served would not start, as far as it can be told without connecting. */
export function serveRefusals(
  config: Config,
  application: LoadedApplication | undefined,
  env: NodeJS.ProcessEnv,
): Refusal[] {
  if (enabledEndpoints(config).length === 0) return [];
  try {
    loadConfig({ path: config.path, mode: 'serve', env });
    if (application !== undefined) selectForSurface('a2a', application, config);
    return [];
  } catch (error) {
    if (error instanceof ConfigInvalidError) {
      return error.problems.map(({ where, key, rule, remedy }) => ({ message: `${where}: ${key} ${rule}`, remedy }));
    }
    if (error instanceof FiskError) return [{ message: error.message, remedy: error.remedy }];
    throw error;
  }
}
