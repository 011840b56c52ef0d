/** The processes of the commands of a daemon, found by the mark that each of them inherits. */
import { readdirSync, readFileSync } from 'node:fs';
import { isAlive } from './wait.ts';

/** Those that live, of any of the given daemons, whatever group or session they are in. */
export function commandsOf(daemons: readonly number[]): number[] {
  const all = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && daemons.includes(daemonOf(name)));
  return all.map(Number).filter(isAlive);
}

function daemonOf(pid: string): number {
  try {
    return Number(/(?:^|\0)FISK_CALL=(\d+)\./.exec(readFileSync(`/proc/${pid}/environ`, 'utf8'))?.[1] ?? 0);
  } catch {
    return 0;
  }
}
