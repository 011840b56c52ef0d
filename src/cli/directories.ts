import { statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Config } from '../config/index.ts';

/** A directory that a configuration leads to. */
export interface DirectoryInfo {
  readonly use: 'commands' | 'sessions' | 'memory' | 'knowledge';
  /** Absolute. */
  readonly path: string;
  readonly exists: boolean;
}

/**
 * The directories that this configuration uses, resolved: a relative one is relative to the working directory. Stores
 * that are off or that keep nothing in files have none.
 */
export function directoriesOf(config: Config, env: NodeJS.ProcessEnv, cwd: string): DirectoryInfo[] {
  const { identity, llm, harness } = config;
  const { sessions, memory, knowledge } = harness;
  const state = env['XDG_STATE_HOME'] || join(env['HOME'] || homedir(), '.local', 'state');
  const found: [DirectoryInfo['use'], string][] = [['commands', cwd]];
  if (llm.model !== undefined && sessions.backend === 'file') {
    found.push(['sessions', written(sessions.options) ?? join(state, 'fisk-ai', 'runs')]);
  }
  if (memory.enabled && memory.backend === 'file') {
    found.push(['memory', written(memory.options) ?? join('memory', identity)]);
  }
  if (knowledge.enabled) found.push(['knowledge', knowledge.directory ?? join('knowledge', identity)]);
  return found.map(([use, path]) => {
    const absolute = resolve(cwd, path);
    return { use, path: absolute, exists: statSync(absolute, { throwIfNoEntry: false })?.isDirectory() ?? false };
  });
}

function written(options: Readonly<Record<string, unknown>>): string | undefined {
  const directory = options['directory'];
  return typeof directory === 'string' && directory !== '' ? directory : undefined;
}
