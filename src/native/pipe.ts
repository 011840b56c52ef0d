import { libc } from './libc.ts';

const O_CLOEXEC = 0o2000000;
const ends = new Int32Array(Buffer.allocUnsafeSlow(8).buffer, 0, 2);

/** Both ends of a kernel pipe, or the errno (24 = no descriptor left for this process, 23 = none left at all). */
export type PipeOutcome = { readonly read: number; readonly write: number } | { readonly errno: number };

/** Makes a pipe whose ends no child inherits unless they are given to it. */
export function makePipe(): PipeOutcome {
  if (libc().pipe2(ends, O_CLOEXEC) !== 0) {
    return { errno: libc().errno() };
  }
  return { read: ends[0] ?? -1, write: ends[1] ?? -1 };
}
