import { statSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { WorkDirError } from '../errors.ts';

/**
 * Checks the directory that tools of runs work in.
 * @throws {WorkDirError} when it is relative, missing, or no directory.
 */
export function checkWorkDir(path: string): string {
  if (!isAbsolute(path)) {
    throw new WorkDirError(`--work-dir ${JSON.stringify(path)} is relative; give an absolute path`);
  }
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) {
    throw new WorkDirError(`--work-dir ${JSON.stringify(path)} does not exist; create it first`);
  }
  if (!found.isDirectory()) {
    throw new WorkDirError(`--work-dir ${JSON.stringify(path)} is not a directory`);
  }
  return path;
}
