import { type Document, isMap, type Pair } from 'yaml';
import { PROBLEM_RANK, type ProblemList, type Source } from './problems.ts';
import { schema } from './schema.ts';

/**
 * Moves what stands under a former key to where it belongs now, with a warning, so that refusing unknown keys never
 * forces everyone to change their files on one day.
 * @param table old key path to new key path.
 */
export function applyRenames(
  document: Document,
  source: Source,
  notices: string[],
  problems: ProblemList,
  table: Readonly<Record<string, string>> = schema['x-renamed'],
): void {
  for (const [from, to] of Object.entries(table)) {
    const pair = pairAt(document, from.split('.'));
    if (pair === undefined) {
      continue;
    }
    const offset = (pair.key as { range?: [number, number, number] }).range?.[0] ?? 0;
    if (document.hasIn(to.split('.'))) {
      problems.add({
        rank: PROBLEM_RANK.file,
        key: from,
        offset,
        rule: `is the former name of ${to}, and both are given`,
        remedy: `Keep ${to}.`,
      });
      continue;
    }
    const { line, col } = source.lines.linePos(offset);
    notices.push(`${source.path}:${line}:${col}: ${from} is now called ${to}; the old name will go away`);
    document.deleteIn(from.split('.'));
    document.setIn(to.split('.'), pair.value);
  }
}

function pairAt(document: Document, path: readonly string[]): Pair | undefined {
  const parent = path.length === 1 ? document.contents : document.getIn(path.slice(0, -1));
  return isMap(parent)
    ? parent.items.find(({ key }) => (key as { value?: unknown } | null)?.value === path.at(-1))
    : undefined;
}
