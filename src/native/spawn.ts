import { closeSync, openSync } from 'node:fs';
import { type Libc, libc } from './libc.ts';
import { type SpawnFrame, spawnFrame } from './spawn-frame.ts';
import type { PackedStrings } from './strings.ts';

/** What a child is started with. Descriptors are the parent's; the child gets copies and nothing else. */
export interface SpawnRequest {
  /** Absolute path, or one relative to the working directory of this process. No NUL. */
  readonly path: string;
  /** The argument vector including its first element. No NUL. */
  readonly argv: readonly string[];
  /** `KEY=value` strings that many children get. */
  readonly environment: PackedStrings;
  /** Those of this child alone, behind the others. No NUL. */
  readonly variables: readonly string[];
  /** Working directory of the child; this process's own when absent. No NUL. */
  readonly cwd?: string | undefined;
  /** What becomes descriptor 0 of the child; `null` is the null device. */
  readonly stdin: number | null;
  readonly stdout: number;
  readonly stderr: number;
  /**
   * Starts the child in a session of its own instead of a group, so that nothing which ends ours reaches it, and lets it
   * keep these descriptors of ours under their numbers.
   */
  readonly session?: { readonly keep: readonly number[] } | undefined;
}

/** Outcome of a start: the pid, or the errno that says why there is none. */
export type SpawnOutcome = { readonly pid: number; readonly errno: 0 } | { readonly errno: number };

// Sizes of glibc's opaque types with room to spare: 336 and 128 bytes.
const ATTRIBUTE_BYTES = 512;
const SIGNAL_SET_BYTES = 128;
const SET_GROUP = 0x02;
const SET_SIGNAL_DEFAULT = 0x04;
const SET_SIGNAL_MASK = 0x08;
const SET_SESSION = 0x80;

/** koffi refuses more than 256 asynchronous calls at a time; the thread pool runs four of them anyway. */
const STARTS_AT_ONCE = 64;

const attributes = new Map<number, Buffer>();
let nullDevice: number | undefined;
let starting = 0;
const waiting: (() => void)[] = [];

/**
 * Everything the native side may still read. koffi does not hold the buffers it is given during an asynchronous
 * call; without this, a garbage collection at the wrong moment makes a start fail with EPERM.
 */
const held = new Set<readonly [SpawnFrame, PackedStrings]>();

/** Resolves when no start is under way, so that every child that will ever be is known. */
export async function startsSettled(): Promise<void> {
  while (starting > 0) {
    await new Promise<void>((resolve) => setTimeout(resolve, 1));
  }
}

/**
 * Starts a child as leader of a process group of its own, with all signals at their default and none blocked.
 * It never throws for what the system refuses: the errno is the answer.
 */
export async function spawnProcess(request: SpawnRequest): Promise<SpawnOutcome> {
  if (starting >= STARTS_AT_ONCE) {
    await new Promise<void>((resolve) => waiting.push(resolve));
  }
  starting++;
  try {
    return await start(libc(), request);
  } finally {
    starting--;
    waiting.shift()?.();
  }
}

function start(c: Libc, request: SpawnRequest): Promise<SpawnOutcome> {
  const attr = attributesFor(c, request.session === undefined ? SET_GROUP : SET_SESSION);
  nullDevice ??= openSync('/dev/null', 'r');
  const { environment } = request;
  const frame = spawnFrame(request.path, request.cwd ?? '', request.argv, environment, request.variables);
  const { pid, actions } = frame;
  c.actionsInit(actions);
  c.actionsAddDup2(actions, request.stdin ?? nullDevice, 0);
  c.actionsAddDup2(actions, request.stdout, 1);
  c.actionsAddDup2(actions, request.stderr, 2);
  if (request.session === undefined) {
    // What this process opens is closed at an exec anyway; what it inherited itself may not be.
    c.actionsAddCloseFrom?.(actions, 3);
  }
  for (const fd of request.session?.keep ?? []) {
    // Onto itself: that takes the mark away which closes it at the exec.
    c.actionsAddDup2(actions, fd, fd);
  }
  if (request.cwd !== undefined) {
    c.actionsAddChdir(actions, frame.cwd);
  }
  const kept = [frame, environment] as const;
  held.add(kept);
  return new Promise((resolve, reject) => {
    c.posixSpawnAsync(pid, frame.path, actions, attr, frame.argv, frame.envp, (error, errno) => {
      c.actionsDestroy(actions);
      held.delete(kept);
      if (error) {
        reject(error);
      } else if (errno === 0) {
        resolve({ pid: pid[0] ?? 0, errno: 0 });
      } else {
        resolve({ errno });
      }
    });
  });
}

/** Made once for each kind of child, and only ever read from then on. */
function attributesFor(c: Libc, kind: number): Buffer {
  let made = attributes.get(kind);
  if (made === undefined) {
    made = Buffer.alloc(ATTRIBUTE_BYTES);
    const signals = Buffer.alloc(SIGNAL_SET_BYTES);
    c.attributesInit(made);
    c.attributesSetFlags(made, kind | SET_SIGNAL_DEFAULT | SET_SIGNAL_MASK);
    c.attributesSetGroup(made, 0);
    c.signalsFill(signals);
    c.attributesSetDefault(made, signals);
    c.signalsEmpty(signals);
    c.attributesSetMask(made, signals);
    attributes.set(kind, made);
  }
  return made;
}

/** Closes descriptors that may already be gone on a path that must not fail. */
export function closeQuietly(...fds: readonly (number | undefined)[]): void {
  for (const fd of fds) {
    if (fd !== undefined) {
      try {
        closeSync(fd);
      } catch {
        // Closed before: that is all that was wanted.
      }
    }
  }
}
