import type { Config } from '../config/index.ts';
import { NothingToServeError, withRemedy } from '../errors.ts';
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
  const { path, tools, removed } = application;
  if (tools.length + removed.length === 0) {
    throw withRemedy(
      new NothingToServeError(`${path} has no commands, or none that is not hidden`),
      `Look at what ${path} --fisk-introspect prints under "commands".`,
    );
  }
  if (tools.length === 0) {
    const reasons = reasonsOf(removed);
    const filtered = reasons.includes('not included') || reasons.includes('excluded');
    const what = filtered ? `include and exclude of ${config.path} leave` : 'there is';
    throw new NothingToServeError(`${what} no command of ${path} to serve: ${reasons.join('; ')}`);
  }
  const which = tools.length === 1 ? 'the only tool' : `none of the ${tools.length} tools`;
  const can = tools.length === 1 ? 'cannot' : 'can';
  throw new NothingToServeError(
    `${which} of ${path} ${can} be served to peers: ${reasonsOf(selection.withheld).join('; ')}`,
  );
}

function reasonsOf(left: readonly { readonly reason: string }[]): string[] {
  return [...new Set(left.map(({ reason }) => reason))];
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
