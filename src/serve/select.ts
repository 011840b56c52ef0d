import type { Config } from '../config/index.ts';
import { NothingToServeError } from '../errors.ts';
import type { Logger } from '../observe/index.ts';
import { cpuLimit, defaultConcurrency } from '../process/index.ts';
import { type LoadedApplication, type ServedSelection, selectServed } from '../tools/index.ts';

/**
 * What of an application is served to peers.
 * @throws {NothingToServeError} when nothing is, and why.
 */
export function selectForPeers(application: LoadedApplication, config: Config): ServedSelection {
  const selection = selectServed(application.tools, {
    ...config.expose.tools,
    confirmTags: config.harness.confirmTags,
  });
  if (selection.served.length > 0) {
    return selection;
  }
  if (application.tools.length === 0) {
    throw new NothingToServeError(`include and exclude of ${config.path} leave no command of ${application.path}`);
  }
  const reasons = [...new Set(selection.withheld.map(({ reason }) => reason))].join('; ');
  throw new NothingToServeError(
    `none of the ${application.tools.length} tools of ${application.path} can be served to peers: ${reasons}`,
  );
}

/** Commands at a time: what the configuration says, else what the CPU limit of this process suggests. */
export function effectiveConcurrency(config: Config, log?: Logger): number {
  if (config.expose.a2a.maxConcurrentTools > 0) {
    return config.expose.a2a.maxConcurrentTools;
  }
  const { cpus, notes } = cpuLimit();
  for (const note of notes) {
    log?.warn(note);
  }
  return defaultConcurrency(cpus);
}
