import { constants } from 'node:fs';
import { libc } from './libc.ts';

const O_CLOEXEC = 0o2000000;
const F_SETFL = 4;
const ends = new Int32Array(Buffer.allocUnsafeSlow(8).buffer, 0, 2);

/** Both ends of a kernel pipe, or the errno (24 = no descriptor left for this process, 23 = none left at all). */
export type PipeOutcome = { readonly read: number; readonly write: number } | { readonly errno: number };

/** Makes a pipe whose ends no child inherits unless they are given to it. */
export function makePipe(): PipeOutcome {
  const c = libc();
  if (c.pipe2(ends, O_CLOEXEC) !== 0) {
    return { errno: c.errno() };
  }
  const [read = -1, write = -1] = ends;
  return { read, write };
}

/**
 * Lets reads and writes on our end of a pipe return at once when there is nothing to do. The end that a child gets must
 * stay as it is, since most programs cannot deal with a standard stream like that.
 */
export function setNonBlocking(fd: number): void {
  libc().fcntl(fd, F_SETFL, constants.O_NONBLOCK);
}

/**
 * Reads what is there. Node's own call makes an error with a stack of "nothing right now".
 * @returns the number of bytes, 0 at the end of the pipe, `undefined` when there is nothing to be read right now.
 */
export function readAvailable(fd: number, buffer: Buffer): number | undefined {
  const bytes = libc().read(fd, buffer, buffer.length);
  return bytes < 0 ? undefined : bytes;
}
