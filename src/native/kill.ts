import { constants } from 'node:os';
import { libc } from './libc.ts';

/**
 * Sends a signal to a process, or to a whole group when `target` is negative; signal 0 only looks. Node's own call makes
 * an error with a stack for what is an ordinary answer here. `target` is never 0 or −1, which would reach ourselves.
 * @returns whether there is such a process or group. One that may not be signalled is there.
 */
export function signalTarget(target: number, signal: NodeJS.Signals | 0): boolean {
  if (!Number.isInteger(target) || Math.abs(target) < 2) {
    throw new RangeError(`no signal may be sent to ${target}`);
  }
  const number = signal === 0 ? 0 : constants.signals[signal];
  return libc().kill(target, number) === 0 || libc().errno() !== constants.errno.ESRCH;
}
