/** Looking for programs on this machine, and a cache in the project for those that had to be fetched. */
import { execFileSync } from 'node:child_process';
import { accessSync, constants, mkdirSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';

export const projectDir = join(import.meta.dirname, '..', '..');

/** A folder under the project's ignored `.cache/`, made when absent. */
export function cacheDir(...parts: string[]): string {
  const dir = join(projectDir, '.cache', ...parts);
  mkdirSync(dir, { recursive: true });
  return dir;
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/**
 * Every executable of that name: on PATH, in the folders where distributions and Go put what a user's PATH may leave
 * out, and last in the cache under any of its names there.
 */
export function programsNamed(name: string, cachedNames: string[] = [name]): string[] {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/local/bin', '/usr/sbin', '/usr/bin'];
  folders.push(join(homedir(), 'go', 'bin'));
  const candidates = folders.filter((folder) => folder !== '').map((folder) => join(folder, name));
  candidates.push(...cachedNames.map((cached) => join(cacheDir('bin'), cached)));
  return [...new Set(candidates)].filter(isProgram);
}

/** What a program prints on stdout, or nothing when it cannot be started, fails or takes longer than `timeoutMs`. */
export function outputOf(path: string, args: string[], timeoutMs = 10_000): string | undefined {
  try {
    return execFileSync(path, args, { encoding: 'utf8', timeout: timeoutMs, stdio: ['ignore', 'pipe', 'ignore'] });
  } catch {
    return undefined;
  }
}

/** Runs an installation step with its output on our stderr; false when it failed or the program is not here. */
export function attempt(path: string, args: string[], options: { cwd?: string; env?: NodeJS.ProcessEnv } = {}) {
  try {
    execFileSync(path, args, {
      cwd: options.cwd,
      env: { ...process.env, ...options.env },
      stdio: ['ignore', 2, 2],
      timeout: 600_000,
    });
    return true;
  } catch {
    return false;
  }
}
