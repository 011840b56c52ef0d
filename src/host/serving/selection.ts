import type { Config } from '../../config/index.ts';
import { NothingToServeError, withRemedy } from '../../errors.ts';
import type { Surface } from '../../observe/index.ts';
import { type LoadedApplication, type ServedSelection, selectServed } from '../../tools/index.ts';

/** To whom a tool is served, as it completes a sentence. */
const TO: Readonly<Record<Surface, string>> = { a2a: 'to peers', mcp: 'over MCP' };

/**
 * What of an application is served on a surface.
 * @throws {NothingToServeError} when nothing is, and why.
 */
export function selectForSurface(surface: Surface, application: LoadedApplication, config: Config): ServedSelection {
  const selection = selectServed(application.tools, {
    ...config.expose.tools,
    confirmTags: config.harness.confirmTags,
    surface,
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
    `${which} of ${path} ${can} be served ${TO[surface]}: ${reasonsOf(selection.withheld).join('; ')}`,
  );
}

function reasonsOf(left: readonly { readonly reason: string }[]): string[] {
  return [...new Set(left.map(({ reason }) => reason))];
}
