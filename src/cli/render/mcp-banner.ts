import { applicationText, renderWithheld, type ServeCheck } from './check.ts';
import { type Row, renderDocument, row, rowOf } from './layout.ts';
import { type Style, unstyled } from './style.ts';
import { oneLine } from './text.ts';

/** What the banner of a daemon that serves MCP clients tells, as plain data. */
export interface McpBanner {
  readonly identity: string;
  readonly version: string;
  /** Where clients reach it. */
  readonly endpoint: string | undefined;
  /** Commands at a time. */
  readonly concurrency: number;
  /** In Go form. */
  readonly toolTimeout: string;
  readonly approvals: 'auto' | 'always' | 'never';
  /** Names of what is served. */
  readonly exposed: readonly string[];
  /** Those of them that need an approval. */
  readonly gated: readonly string[];
  /** Built-ins that the configuration enables. */
  readonly withheld: readonly string[];
}

/** What a daemon would do with a configuration. */
export interface McpCheck extends Omit<ServeCheck, 'banner'> {
  readonly banner: McpBanner;
}

const APPROVALS: Readonly<Record<McpBanner['approvals'], string>> = {
  always: 'asked for; a client that cannot ask is refused',
  auto: 'asked for; run without one for a client that cannot ask',
  never: 'not asked for, everything runs',
};

/** Lays out the banner that such a daemon prints when it answers. */
export function renderMcpBanner(banner: McpBanner, style: Style = unstyled): string {
  return renderDocument({ heading: heading('Serving', banner, style), rows: rowsOf(banner) }, style);
}

/** Lays out the banner as it would be, the application it was found out from, and what is left out and why. */
export function renderMcpCheck({ banner, application, withheld }: McpCheck, style: Style = unstyled): string {
  const rows = [row('Application', applicationText(application)), ...rowsOf(banner)];
  return (
    renderDocument({ heading: heading('Would serve', banner, style), rows }, style) + renderWithheld(withheld, style)
  );
}

function heading(verb: string, { identity, version }: McpBanner, style: Style): string {
  return `${verb} ${style.bold(`${identity}/${oneLine(version)}`)} over MCP`;
}

function rowsOf(banner: McpBanner): Row[] {
  const { gated } = banner;
  return [
    row('Endpoint', banner.endpoint),
    row('Concurrency', String(banner.concurrency)),
    row('Tool Timeout', banner.toolTimeout),
    row('Approvals', gated.length === 0 ? 'no tool needs one' : APPROVALS[banner.approvals]),
    rowOf('Need One', gated),
    rowOf('Exposed', banner.exposed),
    row('Withheld', ...banner.withheld),
  ];
}
