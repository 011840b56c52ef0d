import { type Document, isMap, isScalar, LineCounter, parseAllDocuments, visit } from 'yaml';
import { PROBLEM_RANK, type ProblemList } from './problems.ts';

/** A parsed file: its first document, and what is needed to say where things stand in it. */
export interface Source {
  /** The path as it was given. */
  readonly path: string;
  readonly text: string;
  readonly lines: LineCounter;
}

/**
 * Parses YAML 1.2 (and so JSON). What is wrong with the text itself goes to `problems`; a duplicate key is reported
 * with both of its places.
 */
export function parseSource(
  path: string,
  text: string,
  problems: ProblemList,
  notices: string[],
): { source: Source; document: Document | undefined } {
  const lines = new LineCounter();
  const source: Source = { path, text, lines };
  problems.source = source;
  let documents: readonly Document[];
  try {
    const parsed = parseAllDocuments(text, { lineCounter: lines, prettyErrors: false, uniqueKeys: false });
    documents = [...parsed];
  } catch {
    // The parser is recursive; nothing but nesting without end makes it give up.
    problems.add({ rank: PROBLEM_RANK.file, key: '', rule: 'is nested too deeply', remedy: 'Remove the nesting.' });
    return { source, document: undefined };
  }
  const [document] = documents;
  if (document === undefined) {
    return { source, document: undefined };
  }
  for (const error of document.errors) {
    problems.add({
      rank: PROBLEM_RANK.file,
      key: '',
      offset: error.pos[0],
      rule: `is not valid YAML: ${error.message}`,
      remedy: 'Correct the YAML at this place.',
    });
  }
  for (const warning of document.warnings) {
    const { line, col } = lines.linePos(warning.pos[0]);
    notices.push(`${path}:${line}:${col}: ${warning.message}`);
  }
  if (documents.length > 1) {
    const second = documents[1]?.range?.[0] ?? text.length;
    notices.push(
      `${path}:${lines.linePos(second).line}: only the first document of the file is read, the rest is ignored`,
    );
  }
  if (document.errors.length === 0) {
    refuseDuplicates(document, source, problems);
  }
  return { source, document };
}

function refuseDuplicates(document: Document, source: Source, problems: ProblemList): void {
  try {
    visit(document, {
      Map: (_, map) => {
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
      },
    });
  } catch (error) {
    if (!(error instanceof RangeError)) {
      throw error;
    }
    problems.add({ rank: PROBLEM_RANK.file, key: '', rule: 'is nested too deeply', remedy: 'Remove the nesting.' });
  }
}

/** True when the document holds nothing, or a null where the mapping belongs: a file of defaults. */
export function isEmpty(document: Document | undefined): boolean {
  const contents = document?.contents ?? null;
  return contents === null || (isScalar(contents) && contents.value === null);
}

/** True when the file is a mapping, as it has to be. */
export function isMapping(document: Document | undefined): boolean {
  return isMap(document?.contents);
}
