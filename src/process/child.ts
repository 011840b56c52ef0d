import { constants } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { type ExitStatus, signalTarget, spawnProcess } from '../native/index.ts';
import { type ChildEnvironment, DIRECTORY_VARIABLE } from './environment.ts';
import { liveGroups } from './groups.ts';
import { MARK_VARIABLE, newMark } from './mark.ts';
import { deadMembers } from './proc.ts';
import { exitOf, reapOne } from './reaper.ts';
import { startError } from './start-errors.ts';
import { monotonicMs } from './timer.ts';

/** What to start. All of it is passed on as it stands; nothing goes through a shell. */
export interface StartSpec {
  /** The program; absolute, or relative to the working directory of this process. */
  readonly path: string;
  /** Arguments after the program's own name. */
  readonly args: readonly string[];
  readonly environment: ChildEnvironment;
  /** Working directory; this process's own when absent. */
  readonly cwd?: string | undefined;
  /** Told how long the start took, in ms, once there is a process. Must not throw. */
  readonly onStart?: ((durationMs: number) => void) | undefined;
}

/** Descriptors of ours that become the child's 0, 1 and 2; `null` is the null device. */
export interface Stdio {
  readonly stdin: number | null;
  readonly stdout: number;
  readonly stderr: number;
}

/** A program that is being replaced cannot be started for a moment; tried again after these pauses, in ms. */
const BUSY_RETRIES_MS = [10, 20, 30, 40];
const ZOMBIE_LOOK_MS = 100;

/** A started child, leader of a process group of its own, and that group. */
export class Child {
  readonly pid: number;
  /** The value of the variable that everything this child starts inherits. */
  readonly mark: string;
  /** `performance.now()` just before the start. */
  readonly startedAt: number;
  /** When the command must be over by the clock of `monotonicMs`; 0 = no bound. */
  readonly deadline: number;
  readonly exited: Promise<ExitStatus>;
  /** Set once by whoever reads it. */
  output: number | undefined;
  #gone = false;
  #reaped = false;

  constructor(pid: number, mark: string, startedAt: number, deadline: number) {
    this.pid = pid;
    this.mark = mark;
    this.startedAt = startedAt;
    this.deadline = deadline;
    this.exited = exitOf(pid);
    void this.exited.then(() => {
      this.#reaped = true;
      this.gone();
    });
    liveGroups.add(this);
  }

  /** Signals the whole group. Once it was seen to be gone its number may be another's, and nothing is sent any more. */
  signal(name: NodeJS.Signals): void {
    if (!this.gone()) {
      this.#kill(name);
    }
  }

  /** Whether no process of the group is left. */
  gone(): boolean {
    reapOne(this.pid);
    if (!this.#gone) {
      this.#kill(0);
    }
    return this.#gone;
  }

  /** Waits until the group is gone, zombies not counted, for at most `boundMs`. */
  async waitGone(boundMs: number): Promise<boolean> {
    const end = performance.now() + boundMs;
    let lookAt = performance.now() + ZOMBIE_LOOK_MS;
    let dead: string | undefined;
    for (let pause = 2; !this.gone(); pause = Math.min(pause * 2, 50)) {
      const now = performance.now();
      if (now >= end) {
        return false;
      }
      if (now >= lookAt) {
        // An init that reaps slowly keeps dead members of the group for a while; they need no further signal. Two looks
        // must agree: a group that forks on shows other members each time.
        const seen = await deadMembers(this.pid);
        if (seen !== undefined && seen === dead) {
          this.#gone = true;
          return true;
        }
        dead = seen;
        lookAt = performance.now() + ZOMBIE_LOOK_MS;
      }
      await delay(Math.max(0, Math.min(pause, end - performance.now())));
    }
    return true;
  }

  #kill(signal: NodeJS.Signals | 0): void {
    // While anything of the group lives, the system gives its number to no new process. One that has it after the
    // leader was reaped is a stranger's.
    this.#gone = (this.#reaped && signalTarget(this.pid, 0)) || !signalTarget(-this.pid, signal);
  }
}

/**
 * Starts a child.
 * @param timeoutMs its time limit as it stands in the child's mark; 0 = none. Enforcing it is the caller's.
 * @throws the failure to start, as a class that says which.
 */
export async function startChild(spec: StartSpec, stdio: Stdio, timeoutMs: number): Promise<Child> {
  const startedAt = performance.now();
  const deadline = timeoutMs > 0 && Number.isFinite(timeoutMs) ? monotonicMs() + timeoutMs : 0;
  const mark = newMark(deadline);
  const { path, cwd } = spec;
  const request = {
    path,
    argv: [path, ...spec.args],
    environment: spec.environment.packed(),
    variables: ownVariables(spec, mark),
    cwd,
    ...stdio,
  };
  for (let attempt = 0; ; attempt++) {
    const outcome = await spawnProcess(request);
    if ('pid' in outcome) {
      spec.onStart?.(performance.now() - startedAt);
      return new Child(outcome.pid, mark, startedAt, deadline);
    }
    const pause = BUSY_RETRIES_MS[attempt];
    if (outcome.errno !== constants.errno.ETXTBSY || pause === undefined) {
      throw startError(outcome.errno, path, cwd);
    }
    await delay(pause);
  }
}

function ownVariables({ environment, cwd }: StartSpec, mark: string): string[] {
  const directory = cwd ?? environment.variables.get(DIRECTORY_VARIABLE);
  return [`${MARK_VARIABLE}=${mark}`, ...(directory === undefined ? [] : [`${DIRECTORY_VARIABLE}=${directory}`])];
}
