import type { Config } from '../config/index.ts';

/** The groups of built-in tools that a configuration enables. */
export function builtinsOf({ harness }: Config): string[] {
  const groups: [string, boolean][] = [
    ['human-in-the-loop', harness.humanInTheLoop],
    ['memory', harness.memory.enabled],
    ['knowledge', harness.knowledge.enabled],
  ];
  return groups.filter(([, enabled]) => enabled).map(([name]) => name);
}
