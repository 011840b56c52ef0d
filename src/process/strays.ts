import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type { ProcessLog } from './log.ts';
import { markOf, type ProcessEntry, processes, readEntry } from './proc.ts';

/** Clock ticks a second in /proc on every Linux. */
const TICKS_PER_SECOND = 100;
/** Start times are rounded down and clocks read one after the other. */
const MARGIN_SECONDS = 1;
/** Between the polite signal and the one that cannot be refused. */
export const KILL_AFTER_MS = 1000;

/** What a call left behind: its mark, and how long ago it began, in ms. */
interface Traced {
  readonly mark: string;
  readonly ageMs: number;
}

/**
 * Ends what a command started and moved out of its process group, found by the mark in its environment: SIGTERM and one
 * second later SIGKILL. Never fails; what was found is one log line.
 */
export function endStrays(call: Traced, log: ProcessLog): Promise<void> {
  const ending = findAndEnd(call, log).finally(() => endings.delete(ending));
  endings.add(ending);
  return ending;
}

const endings = new Set<Promise<void>>();

/** Resolves when nothing is being looked for and ended any more, after `boundMs` at the latest. */
export async function straysEnded(boundMs: number): Promise<void> {
  const bound = Promise.withResolvers<void>();
  const timer = setTimeout(bound.resolve, boundMs);
  await Promise.race([bound.promise, Promise.all(endings)]);
  clearTimeout(timer);
}

async function findAndEnd(call: Traced, log: ProcessLog): Promise<void> {
  try {
    const { found, unreadable } = await findMarked(call);
    if (found.length > 0) {
      const pids = found.map((entry) => entry.pid);
      log.warn({ pids, unreadable }, 'ended processes that a command had moved out of its process group');
      await endAll(found);
    }
  } catch (error) {
    log.warn({ error: String(error) }, 'could not look for processes that a command moved out of its process group');
  }
}

/** Processes that carry the mark of `call` and are not older than it, and how many could not be asked for theirs. */
async function findMarked({ mark, ageMs }: Traced): Promise<{ found: ProcessEntry[]; unreadable: number }> {
  const uptime = Number((await readFile('/proc/uptime', 'utf8')).split(' ')[0]);
  const oldest = (uptime - ageMs / 1000 - MARGIN_SECONDS) * TICKS_PER_SECOND;
  const found: ProcessEntry[] = [];
  let unreadable = 0;
  for (const entry of await processes()) {
    if (entry.zombie || entry.pid === process.pid || Number(entry.start) < oldest) {
      continue;
    }
    const carried = await markOf(entry.pid);
    if (carried === null) {
      unreadable++;
    } else if (carried === mark) {
      found.push(entry);
    }
  }
  return { found, unreadable };
}

/** SIGTERM to each, one second later SIGKILL to those that are left. */
export async function endAll(entries: readonly ProcessEntry[]): Promise<void> {
  await signalAll(entries, 'SIGTERM');
  await delay(KILL_AFTER_MS);
  await signalAll(entries, 'SIGKILL');
}

/** Signals each one that is still the process that was found. */
async function signalAll(entries: readonly ProcessEntry[], signal: NodeJS.Signals): Promise<void> {
  for (const entry of entries) {
    const now = await readEntry(entry.pid);
    if (now?.start === entry.start && !now.zombie) {
      try {
        process.kill(entry.pid, signal);
      } catch {
        // Gone in between: that is what was wanted.
      }
    }
  }
}
