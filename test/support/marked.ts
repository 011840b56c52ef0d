/** The processes of the commands of a daemon, found by the mark that each of them inherits. */
import { readdirSync, readFileSync } from 'node:fs';
import { isAlive, waitFor } from './wait.ts';

/** Those that live, of any of the given daemons, whatever group or session they are in. */
export function commandsOf(daemons: readonly number[]): number[] {
  const all = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && daemons.includes(daemonOf(name)));
  return all.map(Number).filter(isAlive);
}

/** The command of a daemon that runs `stubborn.sh`, and the process that it started: neither ends by itself. */
export function stubbornPair(daemon: number): Promise<number[]> {
  let before: number[] = [];
  return waitFor(() => {
    const found = commandsOf([daemon]).filter((pid) => /stubborn\.sh|^sh\0-c\0trap/.test(commandLine(pid)));
    // A shell that is about to become something else is gone at the next look.
    const both = found.length === 2 && found.join() === before.join();
    before = found;
    return both && found;
  });
}

function commandLine(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}

function daemonOf(pid: string): number {
  try {
    return Number(/(?:^|\0)FISK_CALL=(\d+)\./.exec(readFileSync(`/proc/${pid}/environ`, 'utf8'))?.[1] ?? 0);
  } catch {
    return 0;
  }
}
