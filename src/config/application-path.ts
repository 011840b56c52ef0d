import { resolve } from 'node:path';
import { ApplicationNotFoundError } from '../errors.ts';
import { executableFault, MISSING, onPath } from './executables.ts';

/**
 * Finds the application once, at start. A name without a slash is looked up on PATH and then in the working directory;
 * a path is taken from the working directory.
 * @param path as the file has it.
 * @param env where PATH is read.
 * @param cwd the working directory, absolute.
 * @returns an absolute path to an executable file.
 * @throws {ApplicationNotFoundError} naming the path and what is wrong.
 */
export function resolveApplicationPath(path: string, env: NodeJS.ProcessEnv, cwd: string): string {
  const written = `application_path ${JSON.stringify(path)}`;
  if (path.includes('\0')) {
    throw new ApplicationNotFoundError(`${written} holds a NUL character`);
  }
  const named = !path.includes('/');
  const candidates = [...(named ? onPath(path, env, cwd) : []), resolve(cwd, path)];
  const looked = candidates.map((candidate) => ({ candidate, fault: executableFault(candidate) }));
  const found = looked.find(({ fault }) => fault === undefined);
  if (found !== undefined) {
    return found.candidate;
  }
  // A file that is there and cannot be used explains more than all the places where there is none.
  const near = looked.find(({ fault }) => fault !== MISSING) ?? looked.at(-1);
  throw new ApplicationNotFoundError(
    named && near?.fault === MISSING
      ? `${written} is neither on PATH nor in ${cwd}`
      : `${written}: ${near?.candidate} ${near?.fault}`,
  );
}
