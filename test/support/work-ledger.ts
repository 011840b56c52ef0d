/** What the commands of the fixture that makes trouble have written down about the work they did. */
import { readFileSync } from 'node:fs';
import { tempFile } from './tmp.ts';

export interface Work {
  /** The daemon that ran it. */
  readonly daemon: number;
  /** How often it began: a correct service runs a call once at most. */
  readonly times: number;
  /** `performance.now()` of this process when it began, to 10 ms. */
  readonly beganAt: number;
  /** When it had done its work. */
  readonly endedAt: number | undefined;
}

export interface WorkLedger {
  /** What the daemon must be started with. */
  readonly env: NodeJS.ProcessEnv;
  /** The work so far, by the name of the call. */
  read(): Map<string, Work>;
}

export function workLedger(): WorkLedger {
  const path = tempFile('ledger', '');
  // Both count from a start of their own, and neither is touched when the clock is set.
  const offset = performance.now() - Number(readFileSync('/proc/uptime', 'utf8').split(' ')[0]) * 1_000;
  return {
    env: { FAULTS_LEDGER: path },
    read() {
      const works = new Map<string, Work>();
      for (const line of readFileSync(path, 'utf8').split('\n')) {
        const [what, call, mark, uptime] = line.split(' ');
        if (what === undefined || call === undefined || mark === undefined) continue;
        const at = Number(uptime) * 1_000 + offset;
        const { times = 0, beganAt = at, endedAt } = works.get(call) ?? {};
        works.set(call, {
          daemon: Number(mark.split('.')[0]),
          times: times + Number(what === 'began'),
          beganAt,
          endedAt: what === 'ended' ? at : endedAt,
        });
      }
      return works;
    },
  };
}
