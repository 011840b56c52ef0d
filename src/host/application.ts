import { type Config, credentialNames, resolveApplicationPath } from '../config/index.ts';
import { childEnvironment } from '../process/index.ts';
import { type LoadedApplication, loadApplication } from '../tools/index.ts';

/** What loading an application needs beside its configuration. */
export interface ApplicationOptions {
  readonly config: Config;
  readonly env: NodeJS.ProcessEnv;
  /** Ends the introspection, with everything it started, when it fires. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Introspects the configured application, or answers `undefined` when none is configured.
 * @throws the failure to find, start or understand it, as a class that says which.
 */
export async function openApplication({
  config,
  env,
  signal,
}: ApplicationOptions): Promise<LoadedApplication | undefined> {
  if (config.applicationPath === undefined) {
    return undefined;
  }
  return loadApplication({
    path: resolveApplicationPath(config.applicationPath, env, process.cwd()),
    environment: childEnvironment({ base: env, remove: credentialNames(config) }),
    globalFlags: config.globalFlags,
    globalFlagPlace: (index) => `${config.placeOf(`global_flags[${index}]`)}: global_flags`,
    include: config.include,
    exclude: config.exclude,
    confirmTags: config.harness.confirmTags,
    ...(signal && { signal }),
  });
}
