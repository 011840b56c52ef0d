import { type Style, unstyled } from './style.ts';
import { columns, oneLine, padStart, plain } from './text.ts';

/** One labelled line; further values stand under the first. A row without values is left out. */
export interface Row {
  readonly label: string;
  readonly values: readonly string[];
}

/** A titled part of a document. */
export interface Section {
  readonly title: string;
  readonly rows: readonly Row[];
  /** Free text after the rows, one entry a line. */
  readonly text?: readonly string[];
}

/** A heading, rows and sections: the form of the banner, the agent card and the page of `info`. */
export interface Document {
  /** Without the colon; `strong` parts are made by the caller. */
  readonly heading: string;
  readonly rows: readonly Row[];
  readonly sections?: readonly Section[];
}

const ROW_INDENT = 4;
const SECTION_INDENT = 6;

/** Values of one row that are shown; a peer may send any number of them. */
const SHOWN_VALUES = 1_000;

/**
 * A row of `values`, made safe to print; empty and absent ones are dropped, so that nothing is ever printed empty, and
 * those beyond a thousand are counted.
 */
export function row(label: string, ...values: (string | undefined)[]): Row {
  return rowOf(label, values);
}

/** The same for values of which there may be very many. */
export function rowOf(label: string, values: readonly (string | undefined)[]): Row {
  const kept = values.filter((value): value is string => value !== undefined && value !== '');
  const shown = kept.slice(0, SHOWN_VALUES).map(plain);
  if (kept.length > shown.length) shown.push(`... and ${kept.length - shown.length} more`);
  return { label: oneLine(label), values: shown };
}

/**
 * Lays a document out, with a line feed at its end. All labels, those of sections included, are aligned on the right
 * to the longest one of the whole document, so that a reader's eye finds two columns and not one a section.
 */
export function renderDocument(document: Document, style: Style = unstyled): string {
  const sections = (document.sections ?? []).map((section) => ({ ...section, rows: section.rows.filter(hasValue) }));
  const rows = document.rows.filter(hasValue);
  const all = [rows, ...sections.map((section) => section.rows)].flat();
  const width = all.reduce((widest, { label }) => Math.max(widest, columns(label)), 0);

  let lines = [`${document.heading}:`, ''].concat(renderRows(rows, ROW_INDENT, width));
  for (const section of sections) {
    if (lines.at(-1) !== '') lines.push('');
    lines.push(`  ${style.bold(section.title)}:`, '');
    lines = lines.concat(renderRows(section.rows, SECTION_INDENT, width));
    if (section.text?.length) {
      if (section.rows.length > 0) lines.push('');
      lines = lines.concat(section.text.map((line) => (line === '' ? '' : `    ${line}`)));
    }
  }
  while (lines.at(-1) === '') lines.pop();
  return `${lines.join('\n')}\n`;
}

function hasValue(candidate: Row): boolean {
  return candidate.values.length > 0;
}

function renderRows(rows: readonly Row[], indent: number, width: number): string[] {
  const under = ' '.repeat(indent + width + 2);
  return rows.flatMap(({ label, values }) =>
    values.map((value, index) =>
      index === 0 ? `${' '.repeat(indent)}${padStart(label, width)}: ${value}` : `${under}${value}`,
    ),
  );
}
