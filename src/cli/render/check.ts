import { bannerRows, type ServeBanner, servedSection } from './banner.ts';
import { renderDocument, row } from './layout.ts';
import { type Style, unstyled } from './style.ts';
import { renderTable } from './table.ts';
import { oneLine } from './text.ts';

/** What a daemon would do with a configuration. */
export interface ServeCheck {
  readonly banner: ServeBanner;
  readonly application: { readonly path: string; readonly name: string; readonly version: string };
  /** Commands that would not be served. */
  readonly withheld: readonly WithheldCommand[];
}

export interface WithheldCommand {
  readonly name: string;
  readonly reason: string;
}

/** Lays out the banner as it would be, the application it was found out from, and what is left out and why. */
export function renderCheck({ banner, application, withheld }: ServeCheck, style: Style = unstyled): string {
  const document = renderDocument(
    {
      heading: `Would serve ${style.bold(`${banner.identity}/${oneLine(banner.version)}`)}`,
      rows: [row('Application', applicationText(application)), ...bannerRows(banner)],
      sections: banner.tools === undefined ? [] : [servedSection(banner.tools)],
    },
    style,
  );
  return document + renderWithheld(withheld, style);
}

/** The path, and what the application says of itself. */
export function applicationText({ path, name, version }: ServeCheck['application']): string {
  return `${oneLine(path)} (${oneLine(`${name} ${version}`)})`;
}

/** Commands that share a reason are named up to this number, and counted beyond it. */
const NAMED = 10;

/** Commands that are left out with their reasons; nothing when there are none. */
export function renderWithheld(withheld: readonly WithheldCommand[], style: Style = unstyled): string {
  if (withheld.length === 0) return '';
  const byReason = Map.groupBy(withheld, ({ reason }) => reason);
  const rows = withheld.flatMap((command) => {
    const { name, reason } = command;
    const same = byReason.get(reason) ?? [];
    if (same.length <= NAMED) return [[oneLine(name), oneLine(reason)]];
    return same[0] === command ? [[`${same.length} commands`, oneLine(reason)]] : [];
  });
  return `\n  ${style.bold('Not served')}:\n\n${renderTable(['Tool', 'Reason'], rows, { style })}`;
}
