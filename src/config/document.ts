import { type Document, isMap, isScalar, LineCounter, parseAllDocuments } from 'yaml';
import { checkDocument, refuseNesting } from './document-check.ts';
import { PROBLEM_RANK, type ProblemList, type Source } from './problems.ts';

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
  } catch (error) {
    refuseNesting(error, problems);
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
    checkDocument(document, source, problems);
  }
  return { source, document };
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
