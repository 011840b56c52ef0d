/** Folders and files for one test file, removed when its process ends. */
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const made: string[] = [];
process.on('exit', () => {
  for (const dir of made) rmSync(dir, { recursive: true, force: true });
});

/** A new empty folder. */
export function tempDir(): string {
  const dir = mkdtempSync(join(tmpdir(), 'fisk-test-'));
  made.push(dir);
  return dir;
}

/** A file with that text, in a new folder or in `dir`; gives its path. */
export function tempFile(name: string, text: string | Uint8Array, dir: string = tempDir()): string {
  const path = join(dir, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return path;
}

/** An executable script with that text; gives its path. */
export function tempScript(text: string, name = 'script', dir: string = tempDir()): string {
  const path = tempFile(name, text, dir);
  chmodSync(path, 0o755);
  return path;
}

/** The path of one of the small programs under `test/support/fixtures/` that behave or misbehave in one way each. */
export function fixture(name: string): string {
  return join(import.meta.dirname, 'fixtures', name);
}
