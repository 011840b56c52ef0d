import type { ProcessLog } from './log.ts';
import { markOf, type ProcessEntry, processes, readEntry } from './proc.ts';
import { endAll } from './strays.ts';
import { monotonicMs, startTimer } from './timer.ts';

/** What a mark says: the daemon that set it, and when the command must be over (by the clock of `monotonicMs`, 0 = no bound). */
interface Mark {
  readonly daemon: string;
  readonly daemonStart: string;
  readonly deadline: number;
}

/**
 * Finds commands of a daemon that died without being able to leave a keeper behind, and ends each at its deadline.
 * To be called once, at the start. Never fails; what was found is one log line.
 * @returns the marks of those commands.
 */
export async function adoptOrphans(log: ProcessLog): Promise<string[]> {
  try {
    const marks = [...(await findOrphans()).keys()];
    if (marks.length > 0) {
      log.warn(
        { commands: marks.length, seconds_left: marks.map(secondsLeft) },
        'found commands of a daemon that died; each is ended at its deadline',
      );
    }
    for (const mark of marks) {
      endAtDeadline(mark, log);
    }
    return marks;
  } catch (error) {
    log.warn({ error: String(error) }, 'could not look for commands of a daemon that died');
    return [];
  }
}

/** `null` where there is no deadline. */
function secondsLeft(text: string): number | null {
  const deadline = readMark(text)?.deadline ?? 0;
  return deadline === 0 ? null : Math.round((deadline - monotonicMs()) / 1000);
}

function endAtDeadline(mark: string, log: ProcessLog): void {
  const deadline = readMark(mark)?.deadline ?? 0;
  if (deadline === 0) {
    return;
  }
  const timer = startTimer(Math.max(0, deadline - monotonicMs()), () => {
    void (async () => {
      const left = (await findOrphans()).get(mark) ?? [];
      if (left.length > 0) {
        log.warn({ pids: left.map((entry) => entry.pid) }, 'ended a command of a daemon that died, at its deadline');
        await endAll(left);
      }
    })().catch((error: unknown) => log.warn({ error: String(error) }, 'could not end a command of a daemon that died'));
  });
  timer.unref();
}

/** Processes by the mark they carry, where the daemon that set it lives no more. */
async function findOrphans(): Promise<Map<string, ProcessEntry[]>> {
  const orphans = new Map<string, ProcessEntry[]>();
  for (const entry of await processes()) {
    const mark = entry.zombie ? undefined : await markOf(entry.pid);
    if (mark && (orphans.has(mark) || (await isOrphaned(mark)))) {
      orphans.set(mark, [...(orphans.get(mark) ?? []), entry]);
    }
  }
  return orphans;
}

async function isOrphaned(text: string): Promise<boolean> {
  const mark = readMark(text);
  return mark !== undefined && (await readEntry(mark.daemon))?.start !== mark.daemonStart;
}

function readMark(text: string): Mark | undefined {
  const [, daemon = '', daemonStart = '', deadline = ''] = /^(\d+)\.(\d+)\.[\w-]+\.(\d+)$/.exec(text) ?? [];
  return daemon === '' ? undefined : { daemon, daemonStart, deadline: Number(deadline) };
}
