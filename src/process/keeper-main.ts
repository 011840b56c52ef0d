/**
 * The deadline keeper: what is left of a daemon that went while commands were running. It ends each at its deadline and
 * then leaves. It runs as a process of its own, so it uses nothing but Node and the files beside it.
 */
import { readFileSync } from 'node:fs';
import { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { KeptCommand } from './keeper.ts';
import type { ProcessLog } from './log.ts';
import { onlyZombies, readEntry } from './proc.ts';
import { endStrays } from './strays.ts';

const LOOK_MS = 200;
const KILL_AFTER_MS = 1000;

const log: ProcessLog = { info: line('info'), warn: line('warn') };

function line(level: string): ProcessLog['info'] {
  return (fields, msg) => {
    const entry = { time: new Date().toISOString(), level, msg, ...fields };
    process.stderr.write(`${JSON.stringify(entry)}\n`);
  };
}

/** Reads what the command writes, since it would die of a pipe that nobody reads. */
function discardOutput(fd: number): void {
  const socket = new Socket({ fd, readable: true, writable: false });
  socket.on('error', () => {});
  socket.resume();
}

/** Whether nothing but dead processes is left of the group, or its number belongs to somebody else by now. */
async function isGone({ group, start }: KeptCommand): Promise<boolean> {
  const leader = await readEntry(group);
  // Without its leader the group is still the one we were given: a number in use as a group is given to nobody.
  return (leader !== undefined && leader.start !== start) || (await onlyZombies(group));
}

async function signalGroup(command: KeptCommand, signal: NodeJS.Signals): Promise<void> {
  if (!(await isGone(command))) {
    try {
      process.kill(-command.group, signal);
    } catch {
      // Gone in between: that is what was wanted.
    }
  }
}

async function goneWithin(command: KeptCommand, boundMs: number): Promise<boolean> {
  for (const end = performance.now() + boundMs; performance.now() < end; await delay(LOOK_MS)) {
    if (await isGone(command)) {
      return true;
    }
  }
  return false;
}

async function keep(command: KeptCommand): Promise<void> {
  discardOutput(command.output);
  const forMs = command.deadline === 0 ? Number.POSITIVE_INFINITY : command.deadline - Date.now();
  if (await goneWithin(command, forMs)) {
    return;
  }
  log.warn({ group: command.group }, 'ending a command at its deadline; the daemon that ran it has left');
  await signalGroup(command, 'SIGTERM');
  if (!(await goneWithin(command, KILL_AFTER_MS))) {
    await signalGroup(command, 'SIGKILL');
  }
  await endStrays({ mark: command.mark, ageMs: Date.now() - command.startedAt }, log);
}

const commands = JSON.parse(readFileSync(0, 'utf8')) as KeptCommand[];
process.stderr.on('error', () => {});
await Promise.all(commands.map(keep));
process.exit(0);
