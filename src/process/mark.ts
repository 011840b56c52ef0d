import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';

/** The variable that every command carries, so that what it started can be told from everything else. */
export const MARK_VARIABLE = 'FISK_CALL';

let ownStart: string | undefined;

/** The start time of a process in clock ticks since boot, field 22 of its stat file; `undefined` when it is gone. */
export function startTicks(stat: string): string | undefined {
  // The name in parentheses may hold spaces and parentheses itself: count from the last one.
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
}

/**
 * A mark for one call: pid of this daemon, its start time, a random part, and the deadline by the clock of
 * `monotonicMs` (0 = none).
 * Pid and start time tell later whether that daemon still lives.
 */
export function newMark(deadline: number): string {
  ownStart ??= startTicks(readFileSync('/proc/self/stat', 'utf8')) ?? '0';
  return `${process.pid}.${ownStart}.${randomUUID()}.${Math.round(deadline)}`;
}
