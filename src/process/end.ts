import type { Child } from './child.ts';
import type { ProcessLog } from './log.ts';
import { endStrays } from './strays.ts';

/** Between the polite signal and the one that cannot be refused. */
export const KILL_AFTER_MS = 1000;
/** After the first signal nobody waits longer than this for a group to be gone. */
export const GIVE_UP_AFTER_MS = 3000;

/**
 * Ends the group of a child: SIGTERM, one second later SIGKILL. Returns when the group is gone, after three seconds at
 * the latest. Processes that left the group are looked for afterwards; nobody waits for that.
 */
export async function endGroup(child: Child, log: ProcessLog): Promise<void> {
  child.signal('SIGTERM');
  if (!(await child.waitGone(KILL_AFTER_MS))) {
    child.signal('SIGKILL');
    if (!(await child.waitGone(GIVE_UP_AFTER_MS - KILL_AFTER_MS))) {
      log.warn({ pid: child.pid }, 'a process group did not end although it was killed; it is left to the system');
    }
  }
  void endStrays(child, log);
}
