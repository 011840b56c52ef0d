import type { Config } from '../config/index.ts';
import type { Logger } from '../observe/index.ts';
import { cpuLimit, defaultConcurrency } from '../process/index.ts';

/** Commands at a time: what the configuration says, else what the CPU limit of this process suggests. */
export function effectiveConcurrency(config: Config, log?: Logger): number {
  if (config.expose.a2a.maxConcurrentTools > 0) {
    return config.expose.a2a.maxConcurrentTools;
  }
  const { cpus, notes } = cpuLimit();
  for (const note of notes) {
    log?.warn(note);
  }
  return defaultConcurrency(cpus);
}
