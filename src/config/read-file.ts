import { closeSync, constants, openSync, readSync } from 'node:fs';
import { open } from 'node:fs/promises';

/** The most that is read of a file that somebody names, in bytes. What is read for here is a few KiB. */
const MOST_BYTES = 1024 * 1024;
const TOO_LARGE = 'it holds more than 1 MiB';

/**
 * The bytes of a file that may also be a pipe, of which no more than 1 MiB are read.
 * @throws the error of the system, or one that says that there is more.
 */
export function readLimited(path: string): Buffer {
  const fd = openSync(path, 'r');
  try {
    const bytes = Buffer.allocUnsafe(MOST_BYTES + 1);
    let length = 0;
    for (let read = 1; read > 0 && length <= MOST_BYTES; length += read) {
      read = readSync(fd, bytes, length, bytes.length - length, null);
    }
    if (length > MOST_BYTES) throw new Error(TOO_LARGE);
    return bytes.subarray(0, length);
  } finally {
    closeSync(fd);
  }
}

/**
 * The text of a regular file of 1 MiB at most. A pipe is refused: nobody may ever write to it, and what waits for it
 * could not be given up.
 * @throws the error of the system, or one that says what is wrong with the file.
 */
export async function readRegularFile(path: string): Promise<string> {
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const stats = await file.stat();
    if (stats.isDirectory()) throw new Error('it is a directory');
    if (!stats.isFile()) throw new Error('it is no regular file');
    if (stats.size > MOST_BYTES) throw new Error(TOO_LARGE);
    return await file.readFile('utf8');
  } finally {
    await file.close();
  }
}
