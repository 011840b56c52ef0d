import { accessSync, closeSync, constants, openSync, readSync, statSync } from 'node:fs';
import { constants as system } from 'node:os';
import { dirname } from 'node:path';
import { getSystemErrorName } from 'node:util';
import {
  ArgumentNulError,
  ArgumentTooLongError,
  CommandNotExecutableError,
  CommandNotFoundError,
  DirectoryMissingError,
  type FiskError,
  NoDescriptorsError,
  NoProcessesError,
  SpawnFailedError,
} from '../errors.ts';

const { E2BIG, EACCES, EAGAIN, EMFILE, ENFILE, ENOENT, ENOEXEC, ENOMEM, ENOTDIR, ETXTBSY } = system.errno;

/** One argument may hold this many bytes; the kernel's bound counts the closing NUL too. */
export const MAX_ARGUMENT_BYTES = 128 * 1024 - 1;
/** The first bytes of a compiled program. */
const ELF = Buffer.from('\u007fELF', 'latin1');
/** All arguments together, well under what the kernel grants beside the environment. */
const MAX_VECTOR_BYTES = 1024 * 1024;

/**
 * Refuses what could never start, before anything is opened for it.
 * @throws {ArgumentNulError} where native code would cut the text without a word.
 * @throws {ArgumentTooLongError} for one argument over 128 KiB or a vector over 1 MiB.
 */
export function checkStartable(path: string, args: readonly string[], cwd: string | undefined): void {
  if (path.includes('\0') || cwd?.includes('\0')) {
    throw new ArgumentNulError('a program or directory name holds a NUL character');
  }
  let total = 0;
  for (const [index, argument] of args.entries()) {
    if (argument.includes('\0')) {
      throw new ArgumentNulError(`argument ${index + 1} holds a NUL character, which no command can receive`);
    }
    const bytes = Buffer.byteLength(argument);
    if (bytes > MAX_ARGUMENT_BYTES) {
      throw new ArgumentTooLongError(
        `argument ${index + 1} is ${bytes} bytes long, the longest one may be is ${MAX_ARGUMENT_BYTES}`,
      );
    }
    total += bytes + 1;
  }
  if (total > MAX_VECTOR_BYTES) {
    throw new ArgumentTooLongError(`the arguments hold ${total} bytes together, the most is ${MAX_VECTOR_BYTES}`);
  }
}

/** The failure behind an errno of a pipe that could not be made. */
export function pipeError(errno: number): FiskError {
  return startError(errno, 'a pipe', undefined);
}

/** The failure behind an errno of a start: which of the things it takes is the one that is missing. */
export function startError(errno: number, path: string, cwd: string | undefined): FiskError {
  const cause = systemError(errno);
  switch (errno) {
    case EMFILE:
    case ENFILE:
      return new NoDescriptorsError(`no file descriptor is left to start ${path} with (${cause})`);
    case EAGAIN:
    case ENOMEM:
      return new NoProcessesError(`no process or memory is left to start ${path} with (${cause})`);
    case E2BIG:
      return new ArgumentTooLongError(
        `arguments and environment of ${path} are longer than the system takes (${cause})`,
      );
    case ETXTBSY:
      return new SpawnFailedError(`${path} is open for writing and cannot be started until it is closed (${cause})`);
    case ENOENT:
    case ENOTDIR:
    case EACCES:
    case ENOEXEC:
      return missing(errno, path, cwd);
    default:
      return new SpawnFailedError(`${path} could not be started: ${cause}`);
  }
}

/** The system answers alike for a missing directory, program and interpreter: look before saying which. */
function missing(errno: number, path: string, cwd: string | undefined): FiskError {
  if (cwd !== undefined && !canEnter(cwd)) {
    return new DirectoryMissingError(`the working directory ${cwd} does not exist or cannot be entered`);
  }
  if (errno === ENOEXEC) {
    return new CommandNotExecutableError(
      isBinary(path)
        ? `${path} is a program for another kind of machine, or a broken one`
        : `${path} is no executable program: a script needs a #! line`,
    );
  }
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats?.isDirectory()) {
    return new CommandNotExecutableError(`${path} is a directory, not a program`);
  }
  if (errno === EACCES) {
    return new CommandNotExecutableError(`${path} may not be executed: the execute permission is missing`);
  }
  if (stats) {
    return new CommandNotFoundError(`${path} exists, but the interpreter that its first line names does not`);
  }
  return new CommandNotFoundError(`${path} does not exist (looked in ${dirname(path)})`);
}

/** Whether it begins as compiled programs do. */
function isBinary(path: string): boolean {
  const begin = Buffer.alloc(ELF.length);
  try {
    const fd = openSync(path, 'r');
    try {
      readSync(fd, begin, 0, begin.length, 0);
    } finally {
      closeSync(fd);
    }
  } catch {
    // It can be executed and not read: then nothing is known about it.
    return false;
  }
  return begin.equals(ELF);
}

function canEnter(directory: string): boolean {
  try {
    accessSync(directory, constants.X_OK);
    return statSync(directory).isDirectory();
  } catch {
    return false;
  }
}

function systemError(errno: number): string {
  try {
    return getSystemErrorName(-errno);
  } catch {
    return `errno ${errno}`;
  }
}
