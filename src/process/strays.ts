import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { signalTarget } from '../native/index.ts';
import type { LiveGroup } from './groups.ts';
import type { ProcessLog } from './log.ts';
import { markOf, type ProcessEntry, processes, readEntry } from './proc.ts';

/** Clock ticks a second in /proc on every Linux. */
const TICKS_PER_SECOND = 100;
/** Start times are rounded down and clocks read one after the other. */
const MARGIN_SECONDS = 1;
const KILL_AFTER_MS = 1000;

/**
 * Ends what a command started and moved out of its process group, found by the mark in its environment: SIGTERM and one
 * second later SIGKILL. Never fails; what was found is one log line.
 */
export async function endStrays(group: LiveGroup, log: ProcessLog): Promise<void> {
  try {
    const { strays, unreadable } = await findStrays(group);
    if (strays.length === 0) {
      return;
    }
    log.warn(
      { pids: strays.map((entry) => entry.pid), unreadable },
      'ended processes that a command had moved out of its process group',
    );
    await signalAll(strays, 'SIGTERM');
    await delay(KILL_AFTER_MS);
    await signalAll(strays, 'SIGKILL');
  } catch (error) {
    log.warn({ error: String(error) }, 'could not look for processes that a command moved out of its process group');
  }
}

async function findStrays(group: LiveGroup): Promise<{ strays: ProcessEntry[]; unreadable: number }> {
  const oldest = await ticksAtStart(group);
  const strays: ProcessEntry[] = [];
  let unreadable = 0;
  for (const entry of await processes()) {
    if (entry.zombie || entry.pid === process.pid || Number(entry.start) < oldest) {
      continue;
    }
    const mark = await markOf(entry.pid);
    if (mark === null) {
      unreadable++;
    } else if (mark === group.mark) {
      strays.push(entry);
    }
  }
  return { strays, unreadable };
}

/** When the call began, in clock ticks since boot. */
async function ticksAtStart(group: LiveGroup): Promise<number> {
  const uptime = Number((await readFile('/proc/uptime', 'utf8')).split(' ')[0]);
  const age = (performance.now() - group.startedAt) / 1000;
  return (uptime - age - MARGIN_SECONDS) * TICKS_PER_SECOND;
}

/** Signals each one that is still the process that was found. */
async function signalAll(strays: readonly ProcessEntry[], signal: NodeJS.Signals): Promise<void> {
  for (const stray of strays) {
    const now = await readEntry(stray.pid);
    if (now?.start === stray.start && !now.zombie) {
      signalTarget(stray.pid, signal);
    }
  }
}
