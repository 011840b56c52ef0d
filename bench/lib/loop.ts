/** How late the event loop of the daemon gets under load, also when its heap is large. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { tempDir } from '../../test/support/tmp.ts';
import { waitFor } from '../../test/support/wait.ts';
import { type Bench, load, residentBytes, startFisk } from './contestants.ts';
import type { Row } from './results.ts';

const BOUND_MS = 15;

interface Seen {
  p99: number;
  max: number;
}

async function look(pid: number, file: string): Promise<Seen> {
  const before = read(file);
  process.kill(pid, 'SIGUSR2');
  await waitFor(() => read(file) !== before, { what: 'the probe to answer' });
  return JSON.parse(read(file)) as Seen;
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

export async function measureLoop(bench: Bench, seconds: number): Promise<Row[]> {
  const rows: Row[] = [];
  for (const ballast of [0, 400]) {
    const file = join(tempDir(), 'probe.json');
    const daemon = await startFisk(bench, `loop-${ballast}`, bench.tiny, {
      nodeFlags: ['--import', join(import.meta.dirname, 'probe.ts')],
      env: { BENCH_PROBE_FILE: file, BENCH_BALLAST_MB: String(ballast) },
    });
    await load(bench, daemon.identity, 'run', { 'in-flight': 8, calls: 500 });
    await look(daemon.pid, file);
    const under = await load(bench, daemon.identity, 'run', { 'in-flight': 8, seconds });
    const seen = await look(daemon.pid, file);
    const mib = residentBytes(daemon.pid) / 1024 ** 2;
    await daemon.stop();
    rows.push({
      what: `event-loop delay p99 (max) at 8 in flight${ballast > 0 ? `, ${ballast} MB of ballast` : ''}`,
      measured: `${seen.p99.toFixed(1)} ms (${seen.max.toFixed(1)} ms), ${under.perSecond.toFixed(0)} calls a second, ${mib.toFixed(0)} MiB resident`,
      bound: `p99 under ${BOUND_MS} ms`,
      holds: seen.p99 < BOUND_MS,
    });
  }
  return rows;
}
