/** The source tree as text, for the tests that hold it to its own rules. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

export const projectDir = join(import.meta.dirname, '..', '..');
const srcDir = join(projectDir, 'src');

export interface Import {
  /** The specifier as written. */
  readonly specifier: string;
  /** Nothing of it is left at run time. */
  readonly typeOnly: boolean;
}

export interface SourceFile {
  /** Relative to src/, with forward slashes. */
  readonly path: string;
  /** The first folder, or the file's own name for one that lies in src/ itself. */
  readonly room: string;
  readonly text: string;
  /** The text without comments. */
  readonly code: string;
  readonly imports: readonly Import[];
}

/** Takes comments out and keeps what only looks like one inside a string, a template or a regular expression. */
export function withoutComments(text: string): string {
  const kept =
    /'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`|\/(?![*/])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\/[dgimsuvy]*/;
  return text.replace(new RegExp(`(${kept.source})|/\\*[\\s\\S]*?\\*/|//[^\\n]*`, 'g'), (_, string) => string ?? '');
}

const FROM = /^(?:import|export)\s+(type\s+)?(?:[\w*${}\s,]+?\s+from\s+)?'([^']+)'/gm;
const DYNAMIC = /(typeof\s+)?\bimport\(\s*'([^']+)'/g;

export function importsOf(code: string): Import[] {
  const found: Import[] = [];
  for (const pattern of [FROM, DYNAMIC]) {
    for (const [, type, specifier = ''] of code.matchAll(pattern))
      found.push({ specifier, typeOnly: type !== undefined });
  }
  return found;
}

/** Every TypeScript file under src/. */
export function sourceFiles(): SourceFile[] {
  return readdirSync(srcDir, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .sort()
    .map((path) => {
      const text = readFileSync(join(srcDir, path), 'utf8');
      const code = withoutComments(text);
      return { path, room: path.split('/')[0] ?? path, text, code, imports: importsOf(code) };
    });
}

/** Where a relative specifier leads, relative to src/; nothing for a library or a node module. */
export function target(file: SourceFile, specifier: string): string | undefined {
  if (!specifier.startsWith('.')) return undefined;
  return relative(srcDir, join(srcDir, dirname(file.path), specifier));
}
