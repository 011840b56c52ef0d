import { type LiveGroup, liveGroups } from './groups.ts';
import type { ProcessLog } from './log.ts';
import { endStrays, KILL_AFTER_MS } from './strays.ts';

/** After the first signal nobody waits longer than this for a group to be gone. */
export const GIVE_UP_AFTER_MS = 3000;

/**
 * Ends a process group: SIGTERM, one second later SIGKILL. Returns when the group is gone, after three seconds at
 * the latest. Processes that left the group are looked for once it is gone; nobody waits for that.
 */
export async function endGroup(group: LiveGroup, log: ProcessLog): Promise<void> {
  group.signal('SIGTERM');
  if (!(await group.waitGone(KILL_AFTER_MS))) {
    group.signal('SIGKILL');
    if (!(await group.waitGone(GIVE_UP_AFTER_MS - KILL_AFTER_MS))) {
      log.warn({ pid: group.pid }, 'a process group did not end although it was killed; it is left to the system');
      return;
    }
  }
  void endStrays({ mark: group.mark, ageMs: performance.now() - group.startedAt }, log);
}

/** Ends the groups of all commands that run at this moment, side by side. A companion is no command and lives on. */
export async function endLiveGroups(log: ProcessLog): Promise<void> {
  const commands = [...liveGroups].filter(({ output }) => output !== undefined);
  await Promise.all(commands.map((group) => endGroup(group, log)));
}

/**
 * Sends SIGKILL to every process group that was started here and is not gone, companions too, without waiting for
 * anything. For the moment before this process leaves in a hurry.
 */
export function killLiveGroups(): void {
  for (const group of [...liveGroups]) {
    group.signal('SIGKILL');
  }
}
