import { type Config, formatDuration } from '../config/index.ts';
import { isConfirmable, type ServedSelection } from '../tools/index.ts';
import { builtinsOf } from './builtins.ts';
import type { McpBanner } from './render/mcp-banner.ts';
import { version } from './version.ts';

export interface McpBannerParts {
  readonly config: Config;
  readonly served: ServedSelection;
  /** Where clients reach it; not known when nothing is served yet. */
  readonly endpoint: string | undefined;
}

/** What the banner of a daemon that serves MCP clients says. */
export function mcpBannerOf({ config, served, endpoint }: McpBannerParts): McpBanner {
  const { identity, harness, expose } = config;
  const { mcp } = expose;
  const gated = served.served.filter((tool) => isConfirmable(tool) && tool.needsConfirm(harness.confirmTags));
  return {
    identity,
    version,
    endpoint,
    concurrency: mcp?.maxConcurrentTools ?? 0,
    toolTimeout: formatDuration(mcp?.toolTimeoutMs ?? 0),
    approvals: mcp?.confirmOverMcp ?? 'always',
    exposed: served.served.map((tool) => tool.name),
    gated: gated.map((tool) => tool.name),
    withheld: builtinsOf(config),
  };
}
