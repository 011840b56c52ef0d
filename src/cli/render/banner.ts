import { type Row, renderDocument, row, rowOf, type Section } from './layout.ts';
import { type Style, unstyled } from './style.ts';
import { oneLine } from './text.ts';

/** What the banner of a daemon tells, as plain data. Durations are text in Go form. */
export interface ServeBanner {
  readonly identity: string;
  readonly version: string;
  /** Channels first, then services. */
  readonly endpoints: readonly string[];
  readonly agentContext?: string | undefined;
  /** The NATS server that stands in for a context. */
  readonly server?: string | undefined;
  readonly telemetry: boolean;
  readonly tools?: ServedTools | undefined;
}

/** The part about tools served to peers. */
export interface ServedTools {
  /** Subjects. */
  readonly discovery: string;
  readonly tools: string;
  readonly concurrency: number;
  readonly toolTimeout: string;
  /** Names in the order of the card. */
  readonly exposed: readonly string[];
  /** Built-ins that the configuration enables. */
  readonly withheld: readonly string[];
}

/** Lays out the banner that a daemon prints when it answers. */
export function renderBanner(banner: ServeBanner, style: Style = unstyled): string {
  return renderDocument(
    {
      heading: `Serving ${style.bold(`${banner.identity}/${oneLine(banner.version)}`)}`,
      rows: bannerRows(banner),
      sections: banner.tools === undefined ? [] : [servedSection(banner.tools)],
    },
    style,
  );
}

export function bannerRows(banner: ServeBanner): Row[] {
  return [
    row('Endpoints', ...banner.endpoints),
    row('Agent Context', banner.agentContext),
    row('NATS Server', banner.server),
    row('Telemetry', banner.telemetry ? 'enabled' : 'disabled'),
  ];
}

export function servedSection(tools: ServedTools): Section {
  return {
    title: 'Serving tools over a2a',
    rows: [
      row('Discovery', tools.discovery),
      row('Tools', tools.tools),
      row('Concurrency', String(tools.concurrency)),
      row('Tool Timeout', tools.toolTimeout),
      rowOf('Exposed', tools.exposed),
      row('Withheld', ...tools.withheld),
    ],
    text:
      tools.withheld.length === 0 ? [] : ['The withheld built-in tools are enabled, but are never served to peers.'],
  };
}
