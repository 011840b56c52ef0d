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

/** Files of /proc that are open at a time, so that looking at a busy machine takes no descriptor from a command. */
const OPEN_AT_ONCE = 8;

/**
 * All processes that can be seen. One that ends while it is read is left out.
 * @throws what keeps them from being read, such as a lack of descriptors: not having seen a process must never pass for
 * its end.
 */
export async function processes(): Promise<ProcessEntry[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const found: ProcessEntry[] = [];
  for (let at = 0; at < pids.length; at += OPEN_AT_ONCE) {
    for (const entry of await Promise.all(pids.slice(at, at + OPEN_AT_ONCE).map(readEntry))) {
      if (entry !== undefined) {
        found.push(entry);
      }
    }
  }
  return found;
}

/** The entry of one process, `undefined` when it is gone. Throws what keeps it from being read. */
export async function readEntry(pid: string | number): Promise<ProcessEntry | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(unlessGone);
  const start = stat === undefined ? undefined : startTicks(stat);
  if (stat === undefined || start === undefined) {
    return undefined;
  }
  const [state, , group] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return { pid: Number(pid), group: Number(group), zombie: state === 'Z' || state === 'X', start };
}

function unlessGone(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT' && error.code !== 'ESRCH') {
    throw error;
  }
}

/**
 * The members of the process group `group` when they are all dead and only wait for somebody to take note of it;
 * `undefined` when one lives, when none was seen, and when it cannot be told. A member that came into being during the
 * look is not seen, so one look alone proves nothing.
 */
export async function deadMembers(group: number): Promise<string | undefined> {
  try {
    const members = (await processes()).filter((entry) => entry.group === group);
    const dead = members.length > 0 && members.every((entry) => entry.zombie);
    return dead ? members.map((entry) => `${entry.pid}.${entry.start}`).join() : undefined;
  } catch {
    return undefined;
  }
}

/** The mark in the environment of a process; `null` when its environment may not be read, `undefined` without a mark. */
export async function markOf(pid: number): Promise<string | null | undefined> {
  let environment: string;
  try {
    environment = await readFile(`/proc/${pid}/environ`, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === 'ENOENT' || code === 'ESRCH' ? undefined : null;
  }
  const prefix = `${MARK_VARIABLE}=`;
  return environment
    .split('\0')
    .find((entry) => entry.startsWith(prefix))
    ?.slice(prefix.length);
}
