import { constants } from 'node:os';
import { libc } from './libc.ts';

const WNOHANG = 1;
const status = new Int32Array(Buffer.allocUnsafeSlow(8).buffer, 0, 1);

/** How a child ended: an exit code, or −1 and the name of the signal. */
export interface ExitStatus {
  readonly exitCode: number;
  readonly signal: string | null;
}

const signalNames = new Map(Object.entries(constants.signals).map(([name, number]) => [number, name]));

/**
 * Reaps the child `pid` if it has ended. `undefined` while it runs. A child that somebody else has reaped counts as
 * ended with an unknown status, so that nobody waits for it for ever.
 */
export function reap(pid: number): ExitStatus | undefined {
  const got = libc().waitpid(pid, status, WNOHANG);
  if (got === 0) {
    return undefined;
  }
  if (got < 0) {
    return { exitCode: -1, signal: null };
  }
  const word = status[0] ?? 0;
  const signal = word & 0x7f;
  if (signal === 0) {
    return { exitCode: (word >> 8) & 0xff, signal: null };
  }
  return { exitCode: -1, signal: signalNames.get(signal) ?? `SIG${signal}` };
}
