import { existsSync, realpathSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';

/**
 * What a person types, in the directory `cwd`, to start the program that `script` is: its name when it is installed,
 * through npx when npx finds it from there, else with its path.
 * @param script as in `process.argv[1]`; @param node the runtime it is started with.
 */
export function programText(script: string, cwd: string, node: string): string {
  if (npxFinds(script, cwd)) return 'npx fisk';
  if (basename(script) === 'fisk') return 'fisk';
  return `${shortPath(node, cwd)} ${shortPath(script, cwd)}`;
}

/** npx takes the first one it meets on its way up from the working directory. */
function npxFinds(script: string, cwd: string): boolean {
  const installed = join(cwd, 'node_modules', '.bin', 'fisk');
  if (existsSync(installed)) return realpathSync(installed) === realpathSync(script);
  return dirname(cwd) !== cwd && npxFinds(script, dirname(cwd));
}

function shortPath(path: string, cwd: string): string {
  const short = relative(cwd, path);
  return short.startsWith('..') ? path : short;
}
