import { type Style, unstyled } from './style.ts';
import { columns, padEnd } from './text.ts';

/**
 * A table without borders, two spaces between its columns, with a line feed at its end; the last column is not filled
 * up, so that no line ends in spaces. Cells must be on one line each.
 */
export function renderTable(
  headings: readonly string[],
  rows: readonly (readonly string[])[],
  { indent = 4, style = unstyled }: { indent?: number; style?: Style } = {},
): string {
  const widths = headings.map((heading, column) =>
    rows.reduce((width, cells) => Math.max(width, columns(cells[column] ?? '')), columns(heading)),
  );
  const line = (cells: readonly string[]) =>
    ' '.repeat(indent) +
    cells
      .map((cell, column) => padEnd(cell, widths[column] ?? 0))
      .join('  ')
      .trimEnd();
  return `${[line(headings.map((heading) => style.bold(heading))), ...rows.map(line)].join('\n')}\n`;
}
