import { type ExitStatus, reap } from '../native/index.ts';

const waiting = new Map<number, (status: ExitStatus) => void>();
let listening = false;

/** Resolves once the child `pid` has ended and is reaped. Only children that are waited for here are ever reaped. */
export function exitOf(pid: number): Promise<ExitStatus> {
  if (!listening) {
    listening = true;
    process.on('SIGCHLD', reapAll);
  }
  return new Promise((resolve) => {
    waiting.set(pid, resolve);
    // A child can end before its pid is known here, and its signal comes once.
    reapOne(pid);
  });
}

/** Looks at once whether the child `pid` has ended, without waiting for the signal that says so. */
export function reapOne(pid: number): void {
  const resolve = waiting.get(pid);
  const status = resolve && reap(pid);
  if (resolve && status) {
    waiting.delete(pid);
    resolve(status);
  }
}

function reapAll(): void {
  for (const pid of waiting.keys()) {
    reapOne(pid);
  }
}
