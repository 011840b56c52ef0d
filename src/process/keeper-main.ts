/**
 * The deadline keeper: what is left of a daemon that went while commands were running. It ends each at its deadline and
 * then leaves. It runs as a process of its own, so it uses nothing but Node and the files beside it.
 */
import { readFileSync } from 'node:fs';
import { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { GIVE_UP_AFTER_MS } from './end.ts';
import type { KeptCommand } from './keeper.ts';
import { silentLog } from './log.ts';
import { deadMembers, readEntry } from './proc.ts';
import { endStrays, KILL_AFTER_MS } from './strays.ts';
import { monotonicMs } from './timer.ts';

const LOOK_MS = 200;

/** One command whose daemon has left. */
class Kept {
  readonly #command: KeptCommand;
  readonly #output: Socket;
  #dead: string | undefined;

  constructor(command: KeptCommand) {
    this.#command = command;
    // What the command writes is read and dropped, since it would die of a pipe that nobody reads.
    this.#output = new Socket({ fd: command.output, readable: true, writable: false });
    this.#output.on('error', () => {});
    this.#output.resume();
  }

  /** Waits for the command to end by itself, and ends it at its deadline. */
  async keep(): Promise<void> {
    const { deadline, mark, startedAt } = this.#command;
    const leftMs = deadline === 0 ? Number.POSITIVE_INFINITY : deadline - monotonicMs();
    if (!(await this.#goneWithin(leftMs))) {
      this.#signal('SIGTERM');
      let gone = await this.#goneWithin(KILL_AFTER_MS);
      if (!gone) {
        this.#signal('SIGKILL');
        gone = await this.#goneWithin(GIVE_UP_AFTER_MS - KILL_AFTER_MS);
      }
      if (gone) {
        await endStrays({ mark, ageMs: monotonicMs() - startedAt }, silentLog);
      }
    }
    this.#output.destroy();
  }

  /** A no comes right after a look, so that whoever sends a signal then has just seen whose group it is. */
  async #goneWithin(boundMs: number): Promise<boolean> {
    const end = performance.now() + boundMs;
    while (!(await this.#isGone())) {
      const left = end - performance.now();
      if (left <= 0) {
        return false;
      }
      await delay(Math.min(LOOK_MS, left));
    }
    return true;
  }

  /**
   * Whether nothing but dead processes is left of the group, or its number belongs to somebody else by now. Without its
   * leader the group is still the one we were given: a number in use as a group is given to nobody.
   */
  async #isGone(): Promise<boolean> {
    const { group, start } = this.#command;
    const leader = await readEntry(group).catch(() => undefined);
    if (leader !== undefined && leader.start !== start) {
      return true;
    }
    if (!this.#signal(0)) {
      return true;
    }
    const dead = await deadMembers(group);
    const twice = dead !== undefined && dead === this.#dead;
    this.#dead = dead;
    return twice;
  }

  /** Whether there is still such a group. */
  #signal(signal: NodeJS.Signals | 0): boolean {
    try {
      process.kill(-this.#command.group, signal);
      return true;
    } catch (error) {
      return (error as NodeJS.ErrnoException).code !== 'ESRCH';
    }
  }
}

const commands = JSON.parse(readFileSync(0, 'utf8')) as KeptCommand[];
await Promise.all(commands.map((command) => new Kept(command).keep()));
