import { type Document, isAlias, isMap, isNode, isScalar, visit, type YAMLMap } from 'yaml';
import { PROBLEM_RANK, type ProblemList, type Source } from './problems.ts';

const TOO_DEEP = { key: '', rule: 'is nested too deeply', remedy: 'Remove the nesting.' };

/** Refuses what is valid YAML and still cannot be meant: a key written twice, an alias to nothing. */
export function checkDocument(document: Document, source: Source, problems: ProblemList): void {
  const anchors = new Set<string>();
  try {
    visit(document, (_, node) => {
      if (isAlias(node)) {
        if (!anchors.has(node.source)) {
          problems.add({
            rank: PROBLEM_RANK.file,
            key: '',
            offset: node.range?.[0],
            rule: `refers to the anchor ${JSON.stringify(node.source)}, which is not set before this place`,
            remedy: 'Correct the name, or write the value.',
          });
        }
        return;
      }
      if (isNode(node) && 'anchor' in node && typeof node.anchor === 'string') {
        anchors.add(node.anchor);
      }
      if (isMap(node)) {
        refuseDuplicates(node, source, problems);
      }
    });
  } catch (error) {
    refuseNesting(error, problems);
  }
}

/** Turns the end of the stack, which only nesting without end leads to, into a problem. Throws anything else on. */
export function refuseNesting(error: unknown, problems: ProblemList): void {
  if (!(error instanceof RangeError)) {
    throw error;
  }
  problems.add({ ...TOO_DEEP, rank: PROBLEM_RANK.file });
}

function refuseDuplicates(map: YAMLMap, source: Source, problems: ProblemList): void {
  const first = new Map<string, number>();
  for (const { key } of map.items) {
    if (!isScalar(key)) {
      continue;
    }
    const name = String(key.value);
    const offset = key.range?.[0] ?? 0;
    const before = first.get(name);
    if (before === undefined) {
      first.set(name, offset);
      continue;
    }
    const { line, col } = source.lines.linePos(before);
    problems.add({
      rank: PROBLEM_RANK.file,
      key: name,
      offset,
      rule: `is written twice in one mapping, first at line ${line}, column ${col}`,
      remedy: 'Keep one of the two.',
    });
  }
}
