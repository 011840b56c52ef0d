import { type Config, formatDuration } from '../config/index.ts';
import { withoutUserInfo } from '../nats/index.ts';
import { discoverySubject, toolSubject } from '../protocol/index.ts';
import type { ServedSelection } from '../tools/index.ts';
import { builtinsOf } from './builtins.ts';
import type { ServeBanner } from './render/banner.ts';
import { version } from './version.ts';

export interface BannerParts {
  readonly config: Config;
  readonly served: ServedSelection;
  /** Commands at a time. */
  readonly concurrency: number;
  /** The NATS servers that stand in for a context; an empty list stands for a private one. */
  readonly servers: readonly string[] | undefined;
}

/** What the banner of a daemon with this configuration says. */
export function bannerOf({ config, served, concurrency, servers }: BannerParts): ServeBanner {
  const { identity, natsContext, expose } = config;
  return {
    identity,
    version,
    endpoints: ['a2a'],
    agentContext: servers === undefined ? natsContext : undefined,
    server: servers?.length === 0 ? 'a private one' : servers?.map(withoutUserInfo).join(', '),
    telemetry: false,
    tools: {
      discovery: discoverySubject(identity),
      tools: toolSubject(identity),
      concurrency,
      toolTimeout: formatDuration(expose.a2a.toolTimeoutMs),
      exposed: served.served.map((tool) => tool.name),
      withheld: builtinsOf(config),
    },
  };
}
