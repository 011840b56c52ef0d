/** Waiting in tests: for a condition, never for a fixed time. */
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

export interface WaitOptions {
  /** Milliseconds; 5 000 when absent. */
  timeout?: number;
  /** Milliseconds between two looks; 10 when absent. */
  every?: number;
  /** What is waited for, for the failure text. */
  what?: string | (() => string);
}

/** Looks again and again until `look` gives something that is not undefined or false, and gives that. */
export async function waitFor<T>(
  look: () => T | undefined | false | Promise<T | undefined | false>,
  options: WaitOptions = {},
): Promise<T> {
  const { timeout = 5_000, every = 10 } = options;
  const until = performance.now() + timeout;
  for (;;) {
    const found = await look();
    if (found !== undefined && found !== false) return found;
    if (performance.now() >= until) {
      const what = typeof options.what === 'function' ? options.what() : (options.what ?? 'a condition');
      throw new Error(`waited ${timeout} ms in vain for ${what}`);
    }
    await sleep(every);
  }
}

/** True while a process of that id lives (a zombie that nobody reaped counts as gone). */
export function isAlive(pid: number): boolean {
  return (processState(pid) ?? 'Z') !== 'Z';
}

/** The state letter of a process as the kernel tells it (`R`, `S`, `T`, `Z`, …); nothing when there is none. */
export function processState(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name in brackets may itself hold brackets and blanks, so look behind the last one.
    return stat.slice(stat.lastIndexOf(')') + 2, stat.lastIndexOf(')') + 3);
  } catch {
    return undefined;
  }
}

/** Waits until a process is gone; 5 000 ms when no other bound is given. */
export async function waitGone(pid: number, timeout = 5_000): Promise<void> {
  await waitFor(() => !isAlive(pid), { timeout, what: `the end of process ${pid}` });
}
