/** The fisk program as people run it: the built entry in a process of its own. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { type Running, type RunOptions, type RunResult, run, start } from './run.ts';
import { projectDir } from './source.ts';

/** The built entry, which `npm run build` makes; the npm scripts for tests build first. */
export const fiskEntry = join(projectDir, 'dist', 'main.js');

/** The application of the examples, an executable file. */
export const depot = join(projectDir, 'examples', 'depot');

function built(): string {
  if (!existsSync(fiskEntry)) throw new Error('dist/main.js is not there: run "npm run build"');
  return fiskEntry;
}

/** Runs `fisk ARGS…` to its end. */
export function fisk(args: readonly string[], options?: RunOptions): Promise<RunResult> {
  return run(process.execPath, [built(), ...args], options);
}

/** Starts `fisk ARGS…` and leaves it running. */
export function startFisk(args: readonly string[], options?: Omit<RunOptions, 'input' | 'timeout'>): Promise<Running> {
  return start(process.execPath, [built(), ...args], options);
}

/** Starts `fisk ARGS…` for one test; nothing of it outlives the test, however that ends. */
export async function started(t: TestContext, ...args: Parameters<typeof startFisk>): Promise<Running> {
  const running = await startFisk(...args);
  t.after(() => running.stop('SIGKILL'));
  return running;
}
