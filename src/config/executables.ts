import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';

/** Said of a path where nothing is. */
export const MISSING = 'does not exist';

/** Why a path is no program to run, completing "<path> …", or undefined when it is one. */
export function executableFault(path: string): string | undefined {
  try {
    if (!statSync(path).isFile()) {
      return 'is not a file';
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === 'ENOENT' || code === 'ENOTDIR' ? MISSING : `cannot be looked at (${code})`;
  }
  try {
    accessSync(path, constants.X_OK);
    return undefined;
  } catch {
    return 'is not executable';
  }
}

/** The first program of this name on PATH, absolute. */
export function findOnPath(name: string, env: NodeJS.ProcessEnv): string | undefined {
  return onPath(name, env, process.cwd()).find((candidate) => executableFault(candidate) === undefined);
}

/** Where PATH may hold a program of this name, in its order. Empty entries, which would mean "here", are left out. */
export function onPath(name: string, env: NodeJS.ProcessEnv, cwd: string): string[] {
  return (env['PATH'] ?? '')
    .split(delimiter)
    .filter((directory) => directory !== '')
    .map((directory) => resolve(cwd, join(directory, name)));
}
