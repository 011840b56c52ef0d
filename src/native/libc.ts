import koffi from 'koffi';
import { UnsupportedPlatformError } from '../errors.ts';

/**
 * The handful of libc calls that Node has nothing for. They are bound once, at first use, so that a command that
 * starts no process never loads the bindings.
 */
export interface Libc {
  pipe2(fds: Int32Array, flags: number): number;
  fcntl(fd: number, command: number, flags: number): number;
  /** Bytes read, 0 at the end, −1 with an errno. */
  read(fd: number, buffer: Buffer, bytes: number): number;
  kill(pid: number, signal: number): number;
  socket(family: number, type: number, protocol: number): number;
  /** Bytes sent, −1 with an errno. */
  sendto(fd: number, bytes: Buffer, length: number, flags: number, address: Buffer, addressLength: number): number;
  waitpid(pid: number, status: Int32Array, options: number): number;
  actionsInit(actions: Buffer): number;
  actionsDestroy(actions: Buffer): number;
  actionsAddDup2(actions: Buffer, fd: number, newFd: number): number;
  actionsAddChdir(actions: Buffer, path: Buffer): number;
  /** Missing in glibc before 2.34. */
  readonly actionsAddCloseFrom: ((actions: Buffer, from: number) => number) | undefined;
  attributesInit(attributes: Buffer): number;
  attributesSetFlags(attributes: Buffer, flags: number): number;
  attributesSetGroup(attributes: Buffer, group: number): number;
  attributesSetDefault(attributes: Buffer, signals: Buffer): number;
  attributesSetMask(attributes: Buffer, signals: Buffer): number;
  signalsFill(signals: Buffer): number;
  signalsEmpty(signals: Buffer): number;
  /** Runs on a thread of the pool, so that only that thread waits for the exec. Calls back with the errno, 0 = started. */
  posixSpawnAsync(
    pid: Int32Array,
    path: Buffer,
    actions: Buffer,
    attributes: Buffer,
    argv: Buffer,
    envp: Buffer,
    done: (error: Error | null, errno: number) => void,
  ): void;
  errno(): number;
  address(buffer: Buffer): bigint;
}

let bound: Libc | undefined;

/** @throws {UnsupportedPlatformError} where these calls do not exist (anything but Linux with glibc or alike). */
export function libc(): Libc {
  bound ??= bind();
  return bound;
}

function bind(): Libc {
  if (process.platform !== 'linux') {
    throw new UnsupportedPlatformError(`fisk starts commands on Linux only, this is ${process.platform}`);
  }
  try {
    const lib = koffi.load(null);
    const spawn = lib.func('int posix_spawn(void *pid, void *path, void *fa, void *attr, void *argv, void *envp)');
    return {
      pipe2: lib.func('int pipe2(void *fds, int flags)'),
      fcntl: lib.func('int fcntl(int fd, int command, int flags)'),
      read: lib.func('intptr_t read(int fd, void *buffer, size_t bytes)'),
      kill: lib.func('int kill(int pid, int signal)'),
      socket: lib.func('int socket(int family, int type, int protocol)'),
      sendto: lib.func(
        'intptr_t sendto(int fd, void *bytes, size_t length, int flags, void *address, uint32_t addressLength)',
      ),
      waitpid: lib.func('int waitpid(int pid, void *status, int options)'),
      actionsInit: lib.func('int posix_spawn_file_actions_init(void *fa)'),
      actionsDestroy: lib.func('int posix_spawn_file_actions_destroy(void *fa)'),
      actionsAddDup2: lib.func('int posix_spawn_file_actions_adddup2(void *fa, int fd, int newfd)'),
      actionsAddChdir: lib.func('int posix_spawn_file_actions_addchdir_np(void *fa, void *path)'),
      actionsAddCloseFrom: optional(() => lib.func('int posix_spawn_file_actions_addclosefrom_np(void *fa, int from)')),
      attributesInit: lib.func('int posix_spawnattr_init(void *attr)'),
      attributesSetFlags: lib.func('int posix_spawnattr_setflags(void *attr, short flags)'),
      attributesSetGroup: lib.func('int posix_spawnattr_setpgroup(void *attr, int group)'),
      attributesSetDefault: lib.func('int posix_spawnattr_setsigdefault(void *attr, void *signals)'),
      attributesSetMask: lib.func('int posix_spawnattr_setsigmask(void *attr, void *signals)'),
      signalsFill: lib.func('int sigfillset(void *signals)'),
      signalsEmpty: lib.func('int sigemptyset(void *signals)'),
      posixSpawnAsync: spawn.async as Libc['posixSpawnAsync'],
      errno: () => koffi.errno(),
      address: (buffer) => koffi.address(buffer),
    };
  } catch (cause) {
    throw new UnsupportedPlatformError('the C library of this machine lacks a call that fisk starts commands with', {
      cause,
    });
  }
}

function optional<T>(find: () => T): T | undefined {
  try {
    return find();
  } catch {
    return undefined;
  }
}
