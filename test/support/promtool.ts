/** The checker of Prometheus, from Debian's package `prometheus`. */
import { programsNamed } from '../../scripts/lib/programs.ts';
import { type RunResult, run } from './run.ts';

const [path] = programsNamed('promtool');

/** Why tests with it did not run, or false. */
export const withoutPromtool = path === undefined ? 'not run: no promtool here' : false;

export function promtool(args: readonly string[], input = ''): Promise<RunResult> {
  if (path === undefined) throw new Error('no promtool here');
  return run(path, args, { input });
}
