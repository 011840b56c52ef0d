import { readdir, readFile } from 'node:fs/promises';
import { MARK_VARIABLE, startTicks } from './mark.ts';

/** A process as /proc shows it. */
export interface ProcessEntry {
  readonly pid: number;
  readonly group: number;
  readonly zombie: boolean;
  /** Clock ticks since boot; with the pid it names a process for good. */
  readonly start: string;
}

/** All processes that can be seen. One that ends while it is read is left out. */
export async function processes(): Promise<ProcessEntry[]> {
  const found = await Promise.all((await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(readEntry));
  return found.filter((entry) => entry !== undefined);
}

/** The entry of one process, `undefined` when it is gone. */
export async function readEntry(pid: string | number): Promise<ProcessEntry | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  const start = stat === undefined ? undefined : startTicks(stat);
  if (stat === undefined || start === undefined) {
    return undefined;
  }
  const [state, , group] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return { pid: Number(pid), group: Number(group), zombie: state === 'Z' || state === 'X', start };
}

/** Whether nothing but dead processes is left of the process group `group`. */
export async function onlyZombies(group: number): Promise<boolean> {
  const members = (await processes()).filter((entry) => entry.group === group);
  return members.every((entry) => entry.zombie);
}

/** The mark in the environment of a process; `null` when its environment may not be read, `undefined` without a mark. */
export async function markOf(pid: number): Promise<string | null | undefined> {
  let environment: string;
  try {
    environment = await readFile(`/proc/${pid}/environ`, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === 'EACCES' || code === 'EPERM' ? null : undefined;
  }
  const prefix = `${MARK_VARIABLE}=`;
  return environment
    .split('\0')
    .find((entry) => entry.startsWith(prefix))
    ?.slice(prefix.length);
}
